// Writes bids of reviewers on submissions.
//
// parameters:
//   $bids LIST<MAP>: author (the reviewer's id), submission (its id), value
UNWIND $bids AS row
MATCH (r:Author {id: row.author})
MATCH (s:Submission {id: row.submission})
CREATE (r)-[:BID {value: row.value}]->(s)
