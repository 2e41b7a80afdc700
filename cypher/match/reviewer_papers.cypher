// The papers that reviewers wrote, of those that have records with a title.
//
// parameters:
//   $authors LIST<STRING>: ids of the reviewers
// returns:
//   author STRING: the reviewer, in the order of $authors
//   paper STRING: the id of a paper, in order
//   year INTEGER: its year; may be null
//   position INTEGER: the reviewer's place among its authors, from 1
//   authors INTEGER: the last place
UNWIND range(0, size($authors) - 1) AS place
MATCH (r:Author {id: $authors[place]})-[w:WROTE]->(p:Paper&!Stub)
WHERE p.title IS NOT NULL
CALL (p) {
  MATCH (p)<-[each:WROTE]-()
  RETURN max(each.position) AS authors
}
RETURN r.id AS author, p.id AS paper, p.year AS year, w.position AS position, authors
ORDER BY place, paper
