// Returns the papers of a venue's reviewers, also of their archives, that have one of some titles.
//
// parameters:
//   $venue STRING: the venue
//   $titles MAP: keys of submissions, a list, by title in lower case
// returns:
//   reviewer STRING: the key of the reviewer
//   submission STRING: the key of a submission with the title of the paper
//   paper STRING: the id of the paper
//   title STRING: its title
MATCH (:ReviewVenue {name: $venue})<-[reviews:REVIEWS_FOR]-(r:Author)
MATCH (r)-[:WROTE|WROTE_ARCHIVED]->(p:Paper|ArchivePaper)
WITH reviews, p, $titles[toLower(trim(p.title))] AS submissions
WHERE submissions IS NOT NULL
UNWIND submissions AS submission
RETURN DISTINCT reviews.key AS reviewer, submission, p.id AS paper, p.title AS title
ORDER BY paper
