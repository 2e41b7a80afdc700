// Writes the properties of citations from records, except of supplementary citations.
//
// parameters:
//   $citations LIST<MAP>: citing, cited, properties
UNWIND $citations AS row
MATCH (:Paper {id: row.citing})-[c:CITES]->(:Paper {id: row.cited})
WHERE c.supplement_rank IS NULL
SET c += row.properties
