// Sleeping beauties near a paper: papers that were hardly cited for years, and then often.
//
// Ranked by the beauty coefficient of Ke, Ferrara, Radicchi and Flammini (PNAS 2015, equation 1): how
// far the citations per year, up to the year with the most, stay below a straight line.
//
// purpose: assess
// parameters:
//   $id PAPER: a paper of the subject
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $citations INTEGER = 5: the fewest citations that count
//   $k INTEGER = 10: number of papers
//   $candidates INTEGER = 300: number of the nearest papers to look through
// returns:
//   id STRING: a paper, perhaps the given one
//   title STRING: its title
//   year INTEGER: its year
//   beauty FLOAT: the coefficient
//   peak INTEGER: the year with the most citations
//   peak_citations INTEGER: the citations of that year
//   citations INTEGER: all of them
//   score FLOAT: 1 / (1 + squared distance) to the paper
MATCH (paper:Paper {id: $id})
{{$candidates nearest to paper[$space] in $space}}
MATCH (near)<-[:CITES]-(citing)
WHERE citing.year >= near.year
WITH near, score, citing.year - near.year AS age, count(*) AS citations
ORDER BY citations DESC, age
WITH near, score, collect({age: age, citations: citations}) AS ages, sum(citations) AS citations
WHERE citations >= $citations
WITH near, score, citations, ages[0].age AS peak, ages[0].citations AS most,
     [age IN range(0, ages[0].age) |
       coalesce([each IN ages WHERE each.age = age | each.citations][0], 0)] AS yearly
WITH near, score, citations, peak, most,
     reduce(sum = 0.0, age IN range(1, peak) | sum
       + ((most - yearly[0]) * 1.0 / peak * age + yearly[0] - yearly[age])
       / CASE yearly[age] WHEN 0 THEN 1 ELSE yearly[age] END) AS beauty
RETURN near.id AS id, near.title AS title, near.year AS year, beauty, near.year + peak AS peak,
       most AS peak_citations, citations, score
ORDER BY beauty DESC, id
LIMIT $k
