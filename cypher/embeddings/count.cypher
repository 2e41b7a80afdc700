// Counts the papers that have a record.
//
// returns:
//   papers INTEGER: papers that are no stubs
RETURN COUNT { (:Paper) } - COUNT { (:Stub) } AS papers
