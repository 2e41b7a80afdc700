// Returns a page of papers ordered by id, with venue, fields and date.
//
// parameters:
//   $after STRING: the last paper of the previous page, '' for the first page
//   $limit INTEGER: papers per page
// returns:
//   id STRING: the paper
//   sample_key INTEGER: its sample key
//   year INTEGER: may be null
//   published STRING: a date, may be null
//   venues LIST<STRING>: ids, unordered
//   fields LIST<LIST<STRING>>: scheme and id of each, unordered
MATCH (paper:Paper&!Stub)
WHERE paper.id > $after
WITH paper
ORDER BY paper.id
LIMIT $limit
RETURN paper.id AS id,
       paper.sample_key AS sample_key,
       paper.year AS year,
       paper.published AS published,
       COLLECT { MATCH (paper)-[:PUBLISHED_IN]->(venue:Venue) RETURN venue.id } AS venues,
       COLLECT { MATCH (paper)-[:ABOUT]->(field:Field) RETURN [field.scheme, field.id] } AS fields
ORDER BY id
