// Write declared conflicts of reviewers with submissions.
//
// parameters:
//   $conflicts LIST<MAP>: author (the reviewer's id), submission (its id), reason
UNWIND $conflicts AS row
MATCH (r:Author {id: row.author})
MATCH (s:Submission {id: row.submission})
MERGE (r)-[d:DECLARED_CONFLICT]->(s)
SET d.reason = row.reason
