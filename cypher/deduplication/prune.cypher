// Delete stubs that were part of other papers and that nothing names any more.
//
// parameters:
//   $rows INTEGER: stubs in a transaction
MATCH (s:Stub&Unsettled)
CALL (s) {
  REMOVE s:Unsettled
  WITH * WHERE NOT (s)--() AND s.abstract IS NULL
  DELETE s
} IN TRANSACTIONS OF $rows ROWS
