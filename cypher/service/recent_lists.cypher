// Returns the reading lists that were changed last: created, or given a paper.
//
// parameters:
//   $k INTEGER: maximum number of lists
// returns:
//   name STRING: the name of a list
MATCH (l:ReadingList)
WHERE l.name IS NOT NULL  // a list that is deleted meanwhile has none
WITH l.name AS name, reduce(
  last = l.created, added IN [(l)-[entry:LISTS]->() | entry.added] |
  CASE WHEN added > last THEN added ELSE last END
) AS changed
ORDER BY changed DESC, name
LIMIT $k
RETURN name
