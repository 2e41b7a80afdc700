// Deletes all bids on submissions of a venue.
//
// parameters:
//   $venue STRING: the venue
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(:Submission)<-[b:BID]-()
DELETE b
