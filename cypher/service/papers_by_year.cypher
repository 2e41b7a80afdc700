// Counts the papers of each year.
//
// returns:
//   year INTEGER: a year, in order
//   papers INTEGER: number of papers of this year
MATCH (p:Paper&!Stub)
WHERE p.year IS NOT NULL
RETURN p.year AS year, count(*) AS papers
ORDER BY year
