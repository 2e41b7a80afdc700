// Returns the authors of archive papers who own an archive: those with a profile, and reviewers.
//
// parameters:
//   $papers LIST<STRING>: ids of papers of archives
//   $profiles STRING: prefix of the ids of authors that have a profile
// returns:
//   paper STRING: the id of a paper
//   authors LIST<LIST<STRING>>: (id, name), in the order of the authors
UNWIND $papers AS id
MATCH (a:Author)-[w:WROTE_ARCHIVED]->(:ArchivePaper {id: id})
WHERE a.id STARTS WITH $profiles OR a:Reviewer
WITH id, a, w
ORDER BY w.position
RETURN id AS paper, collect([a.id, a.name]) AS authors
