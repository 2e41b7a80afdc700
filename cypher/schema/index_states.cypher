// How far the server is with indexes.
//
// parameters:
//   $names LIST<STRING>: the indexes
// returns:
//   name STRING: one of them
//   state STRING: POPULATING, ONLINE or FAILED
//   percent FLOAT: how much of it is built, 0 to 100
//   failure STRING: why it failed; empty when it did not
SHOW INDEXES YIELD name, state, populationPercent, failureMessage
WHERE name IN $names
RETURN name, state, populationPercent AS percent, failureMessage AS failure
