// In whose archives papers are: their authors that are known by a profile.
//
// parameters:
//   $papers LIST<STRING>: ids of papers of archives
//   $profiles STRING: what ids of authors begin with that are known by a profile
// returns:
//   paper STRING: its id
//   authors LIST<STRING>: ids, in the order of the authors
UNWIND $papers AS id
MATCH (a:Author)-[w:WROTE_ARCHIVED]->(:ArchivePaper {id: id})
WHERE a.id STARTS WITH $profiles
WITH id, a, w
ORDER BY w.position
RETURN id AS paper, collect(a.id) AS authors
