// Deletes an assignment of a venue.
//
// parameters:
//   $venue STRING: the venue
//   $name STRING: the name of the assignment
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(:Submission)<-[a:ASSIGNED]-()
WHERE coalesce(a.name, 'reviewer') = $name
DELETE a
