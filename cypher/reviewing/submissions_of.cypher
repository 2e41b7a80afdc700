// The submissions of a venue, by key; their authors are not told.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   key STRING: the id that the venue gave
//   title STRING: the title
//   abstract STRING: the abstract; may be null
//   topics LIST<STRING>: the venue's words for its subjects
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(s:Submission)
RETURN s.key AS key, s.title AS title, s.abstract AS abstract, s.topics AS topics
ORDER BY key
