// What colours the points of a map: the year of each paper, and what it is about.
//
// parameters:
//   $ids LIST<STRING>: papers
// returns:
//   id STRING: a paper
//   year INTEGER: its year, may be null
//   fields LIST<STRING>: the names of what it is about
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, paper.year AS year,
       [(paper)-[:ABOUT]->(field:Field) | coalesce(field.name, field.id)] AS fields
