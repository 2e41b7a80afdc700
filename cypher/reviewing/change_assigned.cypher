// Replaces a reviewer of a submission in an assignment, and stores the list of its changes.
//
// Nothing changes if the list has another number of changes, if the removed reviewer is not
// assigned, or if the added one is already assigned or does not review for the venue.
//
// parameters:
//   $venue STRING: the venue
//   $name STRING: the name of the assignment
//   $property STRING: the property of the list for this name
//   $submission STRING: the id of the submission
//   $removed STRING: the id of the author whose pair is deleted; may be null
//   $added STRING: the id of the author who is assigned; may be null
//   $affinity FLOAT: the affinity of the added pair; may be null
//   $locked BOOLEAN: true if the added pair must stay assigned
//   $known INTEGER: number of changes that the caller knows
//   $changes LIST<STRING>: the changes afterwards, as JSON
// returns:
//   changed INTEGER: 1, or 0 if nothing changed
MATCH (v:ReviewVenue {name: $venue})
SET v[$property] = coalesce(v[$property], []) // locks the venue
WITH v WHERE size(v[$property]) = $known
MATCH (v)<-[:SUBMITTED_TO]-(s:Submission {id: $submission})
WHERE ($removed IS NULL OR EXISTS {
    MATCH (:Author {id: $removed})-[a:ASSIGNED]->(s)
    WHERE coalesce(a.name, 'reviewer') = $name
  })
  AND ($added IS NULL OR EXISTS { (:Author {id: $added})-[:REVIEWS_FOR]->(v) })
  AND ($added IS NULL OR NOT EXISTS {
    MATCH (:Author {id: $added})-[a:ASSIGNED]->(s)
    WHERE coalesce(a.name, 'reviewer') = $name
  })
CALL (s) {
  MATCH (:Author {id: $removed})-[a:ASSIGNED]->(s)
  WHERE coalesce(a.name, 'reviewer') = $name
  DELETE a
}
CALL (s) {
  MATCH (r:Author {id: $added})
  CREATE (r)-[:ASSIGNED {name: $name, affinity: $affinity, locked: $locked}]->(s)
}
SET v[$property] = $changes
RETURN count(*) AS changed
