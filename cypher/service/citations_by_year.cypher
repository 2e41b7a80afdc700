// Counts the papers that cite a paper by year.
//
// parameters:
//   $id STRING: the paper
// returns:
//   year INTEGER: a year, in order
//   papers INTEGER: number of papers of this year that cite it
MATCH (:Paper {id: $id})<-[:CITES]-(citing:Paper)
WHERE citing.year IS NOT NULL
RETURN citing.year AS year, count(*) AS papers
ORDER BY year
