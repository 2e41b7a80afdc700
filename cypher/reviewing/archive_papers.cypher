// Writes papers of reviewers' archives and replaces their earlier records; vectors remain.
//
// Labels and relationship types differ from those of the literature, so that statements on the
// literature do not read them. An author in a curated list is replaced by the author that the list
// keeps.
//
// parameters:
//   $papers LIST<MAP>: id, properties, authors LIST<MAP> of id, name, identified and position; in
//     the order of the ids
// returns:
//   authors LIST<STRING>: ids of the earlier authors of a paper
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
