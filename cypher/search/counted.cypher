// How often a paper, `near`, is cited: one of these lines is spliced into a search.
//
// All its citations, which the store knows; or those of papers that are neither held out nor passed
// over, which have to be walked.
//
// parameters:
//   $passed LIST<STRING>: papers whose citations do not count
COUNT { (near)<-[:CITES]-() }
COUNT { MATCH (near)<-[:CITES]-(citing:!Test&!Validation) WHERE NOT citing.id IN $passed }
