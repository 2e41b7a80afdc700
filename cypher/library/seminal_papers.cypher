// The seminal papers of a subject: papers that are cited by the papers near a text, and by few others.
//
// The weight is the number of citations from near papers times their share of all citations, so that
// papers that are cited everywhere are not ranked first.
//
// purpose: explore
// parameters:
//   $text TEXT: the subject
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of papers
//   $candidates INTEGER = 200: number of the nearest papers to consider
// returns:
//   id STRING: a paper
//   title STRING: its title
//   year INTEGER: its year
//   weight FLOAT: near citations squared over all citations
//   near_citations INTEGER: citations from the near papers
//   citations INTEGER: all its citations
{{$candidates nearest to $vector in $space}}
MATCH (near)-[:CITES]->(seminal:Paper&!Stub)
WITH seminal, count(*) AS near_citations
WITH seminal, near_citations, COUNT { (seminal)<-[:CITES]-() } AS citations
RETURN seminal.id AS id, seminal.title AS title, seminal.year AS year,
       near_citations * 1.0 * near_citations / citations AS weight, near_citations, citations
ORDER BY weight DESC, id
LIMIT $k
