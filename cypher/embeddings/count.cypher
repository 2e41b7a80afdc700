// Counts the papers that have a record.
//
// returns:
//   papers INTEGER: number of papers, without stubs
RETURN COUNT { (:Paper) } - COUNT { (:Stub) } AS papers
