// How many training papers there are, from the counts that the store keeps by label.
//
// returns:
//   papers INTEGER: papers with a record that are not held out
RETURN COUNT { (:Paper) } - COUNT { (:Stub) } - COUNT { (:Test) } - COUNT { (:Validation) }
       AS papers
