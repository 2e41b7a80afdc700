// Delete all declared conflicts with submissions of a venue. Manages its own transactions.
//
// parameters:
//   $venue STRING: the venue
//   $rows INTEGER: conflicts in a transaction
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(:Submission)<-[d:DECLARED_CONFLICT]-()
CALL (d) {
  DELETE d
} IN TRANSACTIONS OF $rows ROWS
