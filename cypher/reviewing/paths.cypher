// Returns the papers and topics that connect submissions and reviewers.
//
// parameters:
//   $pairs LIST<MAP>: author (the reviewer's id), submission (its id)
//   $limit INTEGER: maximum number of entries of each kind
// returns:
//   author STRING: the reviewer
//   submission STRING: the submission
//   cited LIST<STRING>: ids of papers of the reviewer that the submission cites
//   shared LIST<LIST<STRING>>: (a paper that both cite, a paper of the reviewer that cites it)
//   two_hops LIST<LIST<STRING>>: (a paper that the submission cites, a paper of the reviewer that
//     it cites)
//   topics LIST<STRING>: topics of the submission
//   fields LIST<STRING>: names of the fields of the reviewer's papers
UNWIND $pairs AS pair
MATCH (s:Submission {id: pair.submission})
USING INDEX SEEK s:Submission(id)
MATCH (r:Author {id: pair.author})
USING INDEX SEEK r:Author(id)
WITH s, r,
  COLLECT { MATCH (r)-[:WROTE]->(p:Paper) RETURN p } AS own,
  COLLECT {
    MATCH (s)-[:REFERS_TO]->(named)
    MATCH (named)-[:DESCRIBES*0..1]->(q:Paper)
    RETURN DISTINCT q
  } AS referred
RETURN r.id AS author, s.id AS submission,
  COLLECT {
    UNWIND referred AS p
    WITH p WHERE p IN own
    RETURN p.id AS id ORDER BY id LIMIT $limit
  } AS cited,
  COLLECT {
    UNWIND own AS p
    MATCH (p)-[:CITES]->(q)
    WHERE q IN referred
    WITH q.id AS between, min(p.id) AS ours
    RETURN [between, ours] ORDER BY between LIMIT $limit
  } AS shared,
  COLLECT {
    UNWIND referred AS q
    WITH q WHERE NOT q IN own
    MATCH (q)-[:CITES]->(p)
    WHERE p IN own
    WITH q.id AS between, min(p.id) AS ours
    RETURN [between, ours] ORDER BY between LIMIT $limit
  } AS two_hops,
  coalesce(s.topics, []) AS topics,
  COLLECT {
    UNWIND own AS p
    MATCH (p)-[:ABOUT]->(f:Field)
    RETURN DISTINCT coalesce(f.name, f.id)
  } + COLLECT {
    MATCH (r)-[:WROTE_ARCHIVED]->(p:ArchivePaper)
    UNWIND p.topics AS topic
    RETURN DISTINCT topic
  } AS fields
