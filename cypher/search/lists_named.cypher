// Returns the reading list of a name with its number of papers.
//
// parameters:
//   $name STRING: the name
// returns:
//   node STRING: the element id of the list
//   papers INTEGER: number of its papers
//   every INTEGER: number of all papers
MATCH (list:ReadingList {name: $name})
RETURN elementId(list) AS node,
  COUNT {
    MATCH (list)-[:LISTS]->()-[:DESCRIBES]->{0,1}(paper:Paper)
    RETURN DISTINCT paper
  } AS papers,
  COUNT { (:Paper) } AS every
