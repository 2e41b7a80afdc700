// Writes declared conflicts of reviewers with submissions.
//
// parameters:
//   $declared LIST<MAP>: author (the reviewer's id), submission (its id), reason
UNWIND $declared AS row
MATCH (r:Author {id: row.author})
MATCH (s:Submission {id: row.submission})
CREATE (r)-[:DECLARED_CONFLICT {reason: row.reason}]->(s)
