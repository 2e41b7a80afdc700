// Deletes the declared conflicts with submissions of a venue that come from one source.
//
// parameters:
//   $venue STRING: the venue
//   $source STRING: submissions for conflicts in a file of submissions; null for a list
//   $papers LIST<STRING>: ids of submissions; null for all
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(s:Submission)<-[d:DECLARED_CONFLICT]-()
WHERE coalesce(d.source, '') = coalesce($source, '') AND ($papers IS NULL OR s.id IN $papers)
DELETE d
