// Record what the hold-out labels on the papers are.
//
// parameters:
//   $fraction FLOAT: the share of test papers, and of validation papers, that was asked for
//   $digest STRING: SHA-256 over the ids of both sets
//   $tests INTEGER: test papers
//   $validations INTEGER: validation papers
// returns:
//   name STRING: always 'holdout'
MERGE (holdout:HoldOut {name: 'holdout'})
SET holdout.fraction = $fraction, holdout.digest = $digest,
    holdout.tests = $tests, holdout.validations = $validations
RETURN holdout.name AS name
