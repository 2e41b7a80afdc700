// Delete all bids on submissions of a venue. Manages its own transactions.
//
// parameters:
//   $venue STRING: the venue
//   $rows INTEGER: bids in a transaction
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(:Submission)<-[b:BID]-()
CALL (b) {
  DELETE b
} IN TRANSACTIONS OF $rows ROWS
