// Returns the papers that the submissions of a venue refer to; merged papers count once.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   submission STRING: the key of a submission
//   papers LIST<STRING>: ids of papers
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(s:Submission)
RETURN s.key AS submission, COLLECT {
    MATCH (s)-[:REFERS_TO]->(named)
    MATCH (named)-[:DESCRIBES*0..1]->(p:Paper)
    RETURN DISTINCT p.id
  } AS papers
ORDER BY submission
