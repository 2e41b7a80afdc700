// Papers that cite a work for the same reason as a paper does: near in text, with its references.
//
// The result is ranked by the product of the score and the cosine of coupling: the shared references
// over the root of the product of the references of each. It includes the sentences and intents of the
// citations, if the source gives them.
//
// purpose: review
// parameters:
//   $id PAPER: the paper
//   $cited PAPER: the work
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of papers
//   $candidates INTEGER = 500: number of the nearest papers to look through
// returns:
//   id STRING: a paper that cites the work
//   title STRING: its title
//   year INTEGER: its year
//   agreement FLOAT: score times the cosine of coupling
//   score FLOAT: 1 / (1 + squared distance) to the paper
//   shared INTEGER: number of references that both have
//   intents LIST<STRING>: the source's words for why it cites the work, null where it has none
//   contexts LIST<STRING>: the sentences in which it does, null where the source has none
MATCH (paper:Paper {id: $id})
{{$candidates nearest to paper[$space] in $space}}
WHERE near <> paper
MATCH (near)-[citation:CITES]->(:Paper {id: $cited})
WITH near, score, citation, COUNT { (paper)-[:CITES]->()<-[:CITES]-(near) } AS shared,
     COUNT { (paper)-[:CITES]->() } * COUNT { (near)-[:CITES]->() } AS references
WITH near, score, citation, shared,
     CASE WHEN shared > 0 THEN score * shared / sqrt(references) ELSE 0.0 END AS agreement
RETURN near.id AS id, near.title AS title, near.year AS year, agreement, score, shared,
       citation.intents AS intents, citation.contexts AS contexts
ORDER BY agreement DESC, score DESC, id
LIMIT $k
