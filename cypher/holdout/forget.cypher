// Forget what the hold-out labels are: they are about to change.
//
// returns:
MATCH (holdout:HoldOut)
DETACH DELETE holdout
