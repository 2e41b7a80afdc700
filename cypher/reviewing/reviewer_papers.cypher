// Returns the papers of reviewers: records of the literature with a title, and papers of archives.
//
// If the literature has a paper of an archive, by its id or by an identifier, the paper of the
// literature is returned.
//
// parameters:
//   $authors LIST<STRING>: ids of the reviewers
// returns:
//   author STRING: the reviewer, in the order of $authors
//   paper STRING: the id of a paper, in order
//   year INTEGER: its year; may be null
//   position INTEGER: the reviewer's position among its authors, from 1
//   authors INTEGER: the last position
//   archived BOOLEAN: true if the literature lacks it
UNWIND range(0, size($authors) - 1) AS place
MATCH (r:Author {id: $authors[place]})
CALL (r) {
  MATCH (r)-[w:WROTE]->(p:Paper&!Stub)
  WHERE p.title IS NOT NULL
  CALL (p) {
    MATCH (p)<-[each:WROTE]-()
    RETURN max(each.position) AS authors
  }
  RETURN p.id AS paper, p.year AS year, w.position AS position, authors, false AS archived
  UNION ALL
  WITH r
  MATCH (r)-[w:WROTE_ARCHIVED]->(p:ArchivePaper)
  CALL (p) {
    MATCH (known:Paper&!Stub {id: p.id})
    RETURN known
    UNION
    WITH p
    UNWIND range(0, size(p.schemes) - 1) AS at
    MATCH (:Identifier {scheme: p.schemes[at], value: p.values[at]})-[:OF]->(known:Paper&!Stub)
    RETURN known
    UNION
    RETURN null AS known
  }
  WITH r, w, p, min(CASE WHEN known.title IS NOT NULL THEN known.id END) AS known
  WHERE known IS NULL OR NOT EXISTS { (r)-[:WROTE]->(:Paper {id: known}) }
  CALL (p) {
    MATCH (p)<-[each:WROTE_ARCHIVED]-()
    RETURN max(each.position) AS authors
  }
  WITH w, p, known, authors ORDER BY p.id
  WITH coalesce(known, p.id) AS paper, known IS NULL AS archived,
    collect({year: p.year, position: w.position, authors: authors})[0] AS first
  RETURN paper, first.year AS year, first.position AS position, first.authors AS authors, archived
}
RETURN r.id AS author, paper, year, position, authors, archived
ORDER BY place, paper
