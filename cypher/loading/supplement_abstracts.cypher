// Writes supplementary abstracts, which replace those in records; of several, the longest is
// written.
//
// parameters:
//   $abstracts LIST<MAP>: id, sample_key, text; in the order of the ids
// returns:
//   written INTEGER: number of new or longer abstracts
UNWIND $abstracts AS row
MERGE (p:Paper {id: row.id})
  ON CREATE SET p:Stub, p.sample_key = row.sample_key
WITH p, row
WHERE p.abstract_supplementary IS NULL OR size(p.abstract) < size(row.text)
  OR size(p.abstract) = size(row.text) AND p.abstract < row.text
SET p.abstract = row.text, p.abstract_supplementary = true
RETURN count(*) AS written
