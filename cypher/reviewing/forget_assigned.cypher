// Deletes the assigned pairs of a venue.
//
// parameters:
//   $venue STRING: the venue
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(:Submission)<-[a:ASSIGNED]-()
DELETE a
