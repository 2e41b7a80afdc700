// Counts the papers that have a record.
//
// returns:
//   papers INTEGER: papers that are no stubs
MATCH (paper:Paper)
WITH count(*) AS all
OPTIONAL MATCH (stub:Stub)
WITH all, count(stub) AS stubs
RETURN all - stubs AS papers
