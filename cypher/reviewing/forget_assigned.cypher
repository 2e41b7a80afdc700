// Deletes an assignment of a venue with the list of its changes.
//
// parameters:
//   $venue STRING: the venue
//   $name STRING: the name of the assignment
//   $property STRING: the property of the list for this name
MATCH (v:ReviewVenue {name: $venue})
SET v[$property] = null
WITH v
MATCH (v)<-[:SUBMITTED_TO]-(:Submission)<-[a:ASSIGNED]-()
WHERE coalesce(a.name, 'reviewer') = $name
DELETE a
