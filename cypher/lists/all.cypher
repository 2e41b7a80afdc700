// Returns reading lists with their numbers of papers, by name.
//
// parameters:
//   $name STRING?: only the list of this name
// returns:
//   name STRING: the name
//   description STRING?: its description
//   papers INTEGER: number of its papers
//   created STRING: time, ISO 8601
MATCH (l:ReadingList)
WITH l, l.name AS name
WHERE name = coalesce($name, name)  // a list that is deleted meanwhile has none
RETURN name, l.description AS description,
  COUNT {
    MATCH (l)-[:LISTS]->()-[:DESCRIBES]->{0,1}(paper:Paper)
    RETURN DISTINCT paper
  } AS papers,
  toString(l.created) AS created
ORDER BY name
