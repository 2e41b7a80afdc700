// Sets the loads of reviewers to 0, so that later assignments give them nothing.
//
// parameters:
//   $venue STRING: the venue
//   $reviewers LIST<STRING>: ids that the venue gave
MATCH (:ReviewVenue {name: $venue})<-[reviews:REVIEWS_FOR]-(:Reviewer)
WHERE reviews.key IN $reviewers
SET reviews.minimum = 0, reviews.maximum = 0
