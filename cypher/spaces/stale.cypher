// Of papers and the hashes of their texts, those whose vector is missing or of another text.
//
// parameters:
//   $key STRING: the property that holds the hash
//   $pairs LIST<MAP>: id and hash
// returns:
//   id STRING: the paper
UNWIND $pairs AS pair
MATCH (paper:Paper {id: pair.id})
WHERE coalesce(paper[$key], '') <> pair.hash
RETURN paper.id AS id
