// Write papers of reviewers' archives, in place of earlier records of them; vectors stay.
//
// Labels and relationships are others than those of the literature, so that no statement of it
// reads them. An author whom a curated list names means the author who is kept.
//
// parameters:
//   $papers LIST<MAP>: id, properties, authors LIST<MAP> of id, name, identified and position; in
//     the order of the ids
// returns:
//   authors LIST<STRING>: ids of the authors of one of them before
UNWIND $papers AS row
MERGE (p:ArchivePaper {id: row.id})
SET p += row.properties
WITH p, row
CALL (p) {
  MATCH (p)<-[by:WROTE_ARCHIVED]-(a:Author)
  WITH by, a.id AS id
  DELETE by
  RETURN collect(id) AS authors
}
CALL (p, row) {
  UNWIND row.authors AS author
  OPTIONAL MATCH (m:MergedAuthor {id: author.id})
  WITH p, author, coalesce(m.author, author.id) AS id
  MERGE (a:Author {id: id})
    ON CREATE SET a.name = author.name, a.identified = author.identified
  MERGE (a)-[by:WROTE_ARCHIVED]->(p)
    ON CREATE SET by.position = author.position
}
RETURN authors
