// The submissions of a venue, by key; without their authors.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   key STRING: the id that the venue gave
//   title STRING: the title
//   abstract STRING: the abstract; may be null
//   topics LIST<STRING>: the venue's words for its subjects
//   demand INTEGER: how many reviewers it needs; null for the number that all get
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(s:Submission)
RETURN s.key AS key, s.title AS title, s.abstract AS abstract, s.topics AS topics,
  s.demand AS demand
ORDER BY key
