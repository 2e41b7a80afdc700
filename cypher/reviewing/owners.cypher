// Returns the authors of archive papers that have a profile: the owners of the archives.
//
// parameters:
//   $papers LIST<STRING>: ids of papers of archives
//   $profiles STRING: prefix of the ids of authors that have a profile
// returns:
//   paper STRING: the id of a paper
//   authors LIST<STRING>: ids, in the order of the authors
UNWIND $papers AS id
MATCH (a:Author)-[w:WROTE_ARCHIVED]->(:ArchivePaper {id: id})
WHERE a.id STARTS WITH $profiles
WITH id, a, w
ORDER BY w.position
RETURN id AS paper, collect(a.id) AS authors
