// The papers that loads have written and an update has not come upon.
//
// parameters:
//   $loads LIST<INTEGER>: the loads whose papers it came upon, without itself
// returns:
//   id STRING: a paper, perhaps a SourceRecord
//   title STRING: its title, or that of the combined paper
//   year INTEGER: its year; may be null
MATCH (n:Paper|SourceRecord)
WHERE n.record_version IS NOT NULL AND n.load IN $loads
OPTIONAL MATCH (n)-[:DESCRIBES]->(p:Paper)
RETURN n.id AS id, coalesce(n.title, p.title) AS title, coalesce(n.year, p.year) AS year
