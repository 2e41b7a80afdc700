// Deletes an assignment of a venue; the list of changes ends with the assignment 'reviewer'.
//
// parameters:
//   $venue STRING: the venue
//   $name STRING: the name of the assignment
MATCH (v:ReviewVenue {name: $venue})
SET v.changes = CASE WHEN $name <> 'reviewer' THEN v.changes END
WITH v
MATCH (v)<-[:SUBMITTED_TO]-(:Submission)<-[a:ASSIGNED]-()
WHERE coalesce(a.name, 'reviewer') = $name
DELETE a
