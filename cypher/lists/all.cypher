// Returns reading lists with their numbers of papers, by name.
//
// returns:
//   name STRING: the name
//   description STRING?: its description
//   papers INTEGER: number of entries
//   created STRING: time, ISO 8601
MATCH (l:ReadingList)
RETURN l.name AS name, l.description AS description, COUNT { (l)-[:LISTS]->() } AS papers,
  toString(l.created) AS created
ORDER BY name
