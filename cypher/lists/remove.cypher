// Removes papers from a reading list; the papers stay in the graph.
//
// parameters:
//   $name STRING: the list
//   $ids LIST<STRING>: ids of papers, or of records that were merged into them
// returns:
//   removed INTEGER: number of papers
MATCH (:ReadingList {name: $name})-[e:LISTS]->(named)
MATCH (named)-[:DESCRIBES]->{0,1}(paper:Paper)
WHERE paper.id IN $ids OR named.id IN $ids
  OR EXISTS { (paper)<-[:DESCRIBES]-(record:SourceRecord) WHERE record.id IN $ids }
WITH collect(e) AS entries, count(DISTINCT paper) AS removed
FOREACH (e IN entries | DELETE e)
RETURN removed
