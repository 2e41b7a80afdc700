// Returns watches with their numbers of reported papers, by name.
//
// returns:
//   name STRING: the name
//   kind STRING: query, list or paper
//   target STRING: the query, the name of the list, or the id of the paper
//   among INTEGER: number of papers of the whole graph among which a new one is near
//   created STRING: time, ISO 8601; papers that were loaded later are new
//   ran STRING?: time of the last run, ISO 8601
//   reported INTEGER: number of reported papers
MATCH (w:Watch)
RETURN w.name AS name, w.kind AS kind, w.target AS target, w.among AS among,
  toString(w.created) AS created, toString(w.ran) AS ran,
  COUNT {
    MATCH (w)-[:REPORTED]->()-[:DESCRIBES]->{0,1}(paper:Paper)
    RETURN DISTINCT paper
  } AS reported
ORDER BY name
