// Returns a page of the ids of all papers and stubs, in order, with their dates.
//
// parameters:
//   $after STRING: the last id of the previous page, '' for the first
//   $limit INTEGER: papers per page
// returns:
//   ids LIST<STRING>: ids of papers, in order
//   dates LIST<STRING>: date of publication, or else the year, or else ''
//   stubs LIST<BOOLEAN>: true for a stub
//   records LIST<LIST<STRING>>: ids of the source records of a merged paper, else empty
MATCH (paper:Paper)
USING INDEX SEEK paper:Paper(id)
WHERE paper.id > $after
WITH paper
ORDER BY paper.id
LIMIT $limit
RETURN collect(paper.id) AS ids,
  collect(coalesce(toString(paper.published), toString(paper.year), '')) AS dates,
  collect(paper:Stub) AS stubs,
  collect(COLLECT {
    MATCH (record:SourceRecord)-[:DESCRIBES]->(paper)
    RETURN record.id
  }) AS records
