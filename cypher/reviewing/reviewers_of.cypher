// Returns the reviewers of a venue, by key.
//
// parameters:
//   $venue STRING: the venue
// returns:
//   key STRING: the id that the venue gave
//   author STRING: the id of the author
//   name STRING: the author's name
//   minimum INTEGER: the minimum number of submissions; may be null
//   maximum INTEGER: the maximum number of submissions; may be null
//   senior BOOLEAN: true for a senior reviewer
//   email STRING: the e-mail address in the list of reviewers; may be null
//   role STRING: the role
//   tracks LIST<STRING>: tracks of the reviewer; none for all tracks
//   region STRING: the region; may be null
//   member STRING: the number of the member at EasyChair; may be null
//   affiliations LIST<LIST<ANY>>: (id, last year or null), in order
MATCH (:ReviewVenue {name: $venue})<-[reviews:REVIEWS_FOR]-(r:Author)
RETURN reviews.key AS key, r.id AS author, r.name AS name, reviews.minimum AS minimum,
  reviews.maximum AS maximum, reviews.senior AS senior, reviews.email AS email,
  coalesce(reviews.role, 'reviewer') AS role, coalesce(reviews.tracks, []) AS tracks,
  reviews.region AS region,
  reviews.member AS member,
  COLLECT {
    MATCH (r)-[at:AFFILIATED_WITH]->(f:Affiliation)
    RETURN [f.id, at.last] ORDER BY f.id
  } AS affiliations
ORDER BY key
