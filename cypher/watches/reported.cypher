// Returns the papers that watches have reported, the newest first.
//
// parameters:
//   $name STRING?: the watch; null for all
//   $limit INTEGER: maximum number of papers
// returns:
//   watch STRING: the watch
//   id STRING: a paper
//   reason STRING: the reason of the report
//   loaded STRING?: time at which the paper was loaded, ISO 8601
//   at STRING: time of the report, ISO 8601
MATCH (w:Watch)-[r:REPORTED]->()-[:DESCRIBES]->{0,1}(paper:Paper)
WHERE $name IS NULL OR w.name = $name
WITH w, paper, r ORDER BY r.at, r.place
WITH w, paper, collect(r)[0] AS r
RETURN w.name AS watch, paper.id AS id, r.reason AS reason, toString(paper.loaded) AS loaded,
  toString(r.at) AS at
ORDER BY r.at DESC, w.name, r.place
LIMIT $limit
