// Deletes all declared conflicts with submissions of a venue.
//
// parameters:
//   $venue STRING: the venue
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(:Submission)<-[d:DECLARED_CONFLICT]-()
DELETE d
