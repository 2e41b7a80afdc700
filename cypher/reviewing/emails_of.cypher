// Returns the e-mail addresses of the reviewers and authors of a venue.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   author STRING: the id of the author
//   email STRING: the address
MATCH (:ReviewVenue {name: $venue})<-[reviews:REVIEWS_FOR]-(a:Author)
WHERE reviews.email IS NOT NULL
RETURN a.id AS author, reviews.email AS email
UNION
MATCH (:ReviewVenue {name: $venue})<-[:SUBMITTED_TO]-(:Submission)<-[:SUBMITTED]-(a:Author)
WHERE a.id STARTS WITH 'email:'
RETURN a.id AS author, substring(a.id, 6) AS email
