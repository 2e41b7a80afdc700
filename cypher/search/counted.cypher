// How often a paper, `near`, is cited: one of these lines is spliced into a search.
//
// All its citations, which the store counts; or, for training, those of papers that are neither
// held out nor passed over, which have to be walked.
//
// parameters:
//   $held_out INTEGER: citations of papers with a smaller draw do not count
//   $passed LIST<STRING>: papers whose citations do not count
COUNT { (near)<-[:CITES]-() }
COUNT { MATCH (near)<-[:CITES]-(citing) WHERE citing.draw >= $held_out AND NOT citing.id IN $passed }
