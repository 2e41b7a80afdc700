// Counts the records of the papers of a reading list: a merged paper has several.
//
// parameters:
//   $name STRING: the list
// returns:
//   records INTEGER: their number
MATCH (:ReadingList {name: $name})-[:LISTS]->()-[:DESCRIBES]->{0,1}(paper:Paper)
WITH DISTINCT paper, COUNT { (paper)<-[:DESCRIBES]-(:SourceRecord) } AS records
RETURN coalesce(sum(CASE WHEN records = 0 THEN 1 ELSE records END), 0) AS records
