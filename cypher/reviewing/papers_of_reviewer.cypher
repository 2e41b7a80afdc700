// The papers of a reviewer: records of the literature with a title, and papers of archives.
//
// A fragment, which other statements include: `r` is the reviewer. If the literature has a paper of
// an archive, by its id or by an identifier, the paper of the literature is returned. Each paper is
// returned once.
//
// returns:
//   p NODE: a Paper or an ArchivePaper
MATCH (r)-[:WROTE]->(p:Paper&!Stub)
WHERE p.title IS NOT NULL
RETURN p
UNION
MATCH (r)-[:WROTE_ARCHIVED]->(archived:ArchivePaper)
CALL (archived) {
  MATCH (known:Paper&!Stub {id: archived.id})
  RETURN known
  UNION
  UNWIND range(0, size(archived.schemes) - 1) AS at
  MATCH (:Identifier {scheme: archived.schemes[at], value: archived.values[at]})-[:OF]->(known:Paper&!Stub)
  RETURN known
  UNION
  RETURN null AS known
}
WITH archived, known ORDER BY known.title IS NULL, known.id
WITH archived, collect(CASE WHEN known.title IS NOT NULL THEN known END)[0] AS known
RETURN coalesce(known, archived) AS p
