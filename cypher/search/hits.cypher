// Returns the displayed properties of papers.
//
// parameters:
//   $ids LIST<STRING>: papers
// returns:
//   papers LIST<MAP>: of each paper
//     id;
//     stub, true if only the id is known, from citing papers;
//     retracted, true if a source says that it was retracted;
//     title, null for a stub;
//     year, abstract, doi, arxiv_id, pubmed_id, url, each of which may be null;
//     authors, LIST<LIST>: id and name, which is the id of an author without one, in order;
//     venue, the name of its venue, may be null;
//     citations, the number of papers that cite it
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WITH paper {
  .id, stub: paper:Stub, retracted: coalesce(paper.retracted, false), .title, .year, .abstract,
  authors: COLLECT {
    MATCH (author:Author)-[wrote:WROTE]->(paper)
    WITH author, wrote ORDER BY wrote.position, author.id
    RETURN [author.id, coalesce(author.name, author.id)]
  },
  venue: [(paper)-[:PUBLISHED_IN]->(venue) | coalesce(venue.name, venue.id)][0],
  citations: COUNT { (paper)<-[:CITES]-() },
  .doi, .arxiv_id, .pubmed_id, .url
} AS details
RETURN collect(details) AS papers
