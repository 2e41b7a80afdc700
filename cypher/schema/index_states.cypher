// Returns the states of indexes.
//
// parameters:
//   $names LIST<STRING>: the indexes
// returns:
//   name STRING: an index
//   state STRING: POPULATING, ONLINE or FAILED
//   percent FLOAT: the built share, 0 to 100
//   failure STRING: the reason of a failure, else empty
SHOW INDEXES YIELD name, state, populationPercent, failureMessage
WHERE name IN $names
RETURN name, state, populationPercent AS percent, failureMessage AS failure
