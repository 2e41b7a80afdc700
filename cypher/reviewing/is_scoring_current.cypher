// True if the reviewers of a venue and the texts of their papers are those of the last scoring.
//
// A fragment, which other statements include: `v` is the venue.
//
// returns:
//   is_current BOOLEAN: false also before the first scoring
WITH v, COUNT {
    MATCH (v)<-[reviews:REVIEWS_FOR]-()
    WHERE coalesce(reviews.role, 'reviewer') = 'reviewer'
  } AS reviewers, EXISTS {
    MATCH (v)<-[reviews:REVIEWS_FOR]-(r:Author)
    WHERE coalesce(reviews.role, 'reviewer') = 'reviewer'
      AND coalesce(reviews.scored_texts, []) <> COLLECT {
        {{include reviewing/scored_texts}}
      }
  } AS is_changed
RETURN coalesce(v.scored_reviewers = reviewers, false) AND NOT is_changed AS is_current
