// Returns the assignments of a venue by name, with their numbers of reviews.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   name STRING: the name of the assignment
//   reviews INTEGER: number of assigned pairs
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(:Submission)<-[a:ASSIGNED]-()
RETURN coalesce(a.name, 'reviewer') AS name, count(a) AS reviews
ORDER BY name
