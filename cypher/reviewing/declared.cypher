// Writes declared conflicts of reviewers with submissions.
//
// parameters:
//   $declared LIST<MAP>: author (the reviewer's id), submission (its id), reason
//   $source STRING: submissions for conflicts in a file of submissions; null for a list
UNWIND $declared AS row
MATCH (r:Author {id: row.author})
MATCH (s:Submission {id: row.submission})
CREATE (r)-[:DECLARED_CONFLICT {reason: row.reason, source: $source}]->(s)
