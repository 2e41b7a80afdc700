// Returns the papers of loads that an update has not replaced.
//
// parameters:
//   $loads LIST<INTEGER>: the loads whose papers the update replaced, without the update itself
// returns:
//   id STRING: a paper or SourceRecord
//   title STRING: its title, or that of the combined paper
//   year INTEGER: its year; may be null
MATCH (n:Paper|SourceRecord)
WHERE n.record_version IS NOT NULL AND n.load IN $loads
OPTIONAL MATCH (n)-[:DESCRIBES]->(p:Paper)
RETURN n.id AS id, coalesce(n.title, p.title) AS title, coalesce(n.year, p.year) AS year
