// Returns the dates and citations of papers, by which they are sorted.
//
// parameters:
//   $ids LIST<STRING>: papers
// returns:
//   id STRING: a paper
//   date STRING: its date or its year; "" if unknown
//   citations INTEGER: number of papers in the graph that cite it
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, coalesce(paper.published, toString(paper.year), '') AS date,
       COUNT { (paper)<-[:CITES]-() } AS citations
