// Records that watches have run, and the papers that they have reported.
//
// parameters:
//   $watches LIST<STRING>: the watches
//   $papers LIST<MAP>: watch, id of a paper, reason, in the order of the report
UNWIND $watches AS name
MATCH (w:Watch {name: name})
SET w.ran = datetime()
WITH w, name
UNWIND range(0, size($papers) - 1) AS place
WITH w, place, $papers[place] AS row
WHERE row.watch = w.name
MATCH (paper:Paper {id: row.id})
MERGE (w)-[r:REPORTED]->(paper)
  ON CREATE SET r.at = datetime(), r.place = place, r.reason = row.reason
