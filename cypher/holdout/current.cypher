// What the hold-out labels on the papers are now; no row before the first hold-out.
//
// returns:
//   fraction FLOAT: the share of test papers, and of validation papers, that was asked for
//   digest STRING: SHA-256 over the ids of both sets
//   tests INTEGER: test papers
//   validations INTEGER: validation papers
MATCH (holdout:HoldOut {name: 'holdout'})
RETURN holdout.fraction AS fraction, holdout.digest AS digest,
       holdout.tests AS tests, holdout.validations AS validations
