// Papers are held out by their draws alone: the labels and the record of a hold-out go.
//
// A merged paper has the smallest draw of the records that it is made of. Spaces and weights that
// were made under the labels hide fewer papers than a hold-out does now, so they count as made
// without one.
MATCH (paper:Test|Validation)
WHERE paper:Paper
CALL (paper) {
  REMOVE paper:Test:Validation
} IN TRANSACTIONS OF 10000 ROWS;
MATCH (holdout:HoldOut)
DETACH DELETE holdout;
MATCH (paper:Paper)<-[:INTO]-(member:Merged)
WITH paper, min(member.draw) AS smallest
CALL (paper, smallest) {
  SET paper.draw = smallest
} IN TRANSACTIONS OF 10000 ROWS;
MATCH (space:EmbeddingSpace)
WHERE space.holdout_digest IS NOT NULL
SET space.sees_edges = coalesce(space.sees_edges, true) OR space.holdout_digest <> '',
    space.holdout = 0.0
REMOVE space.holdout_digest;
MATCH (weights:SearchWeights)
WHERE weights.holdout_digest IS NOT NULL
SET weights.holdout = 0.0
REMOVE weights.holdout_digest;
