// Returns the submissions of a venue, by key, without their authors.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   key STRING: the id that the venue gave
//   title STRING: the title
//   abstract STRING: the abstract; may be null
//   topics LIST<STRING>: its topics, in the words of the venue
//   demand INTEGER: number of reviewers that it needs; null for the venue's default
//   track STRING: its track; may be null
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(s:Submission)
RETURN s.key AS key, s.title AS title, s.abstract AS abstract, s.topics AS topics,
  s.demand AS demand, s.track AS track
ORDER BY key
