// Returns the indexes of searches, and their states.
//
// returns:
//   name STRING: the index
//   kind STRING: VECTOR or FULLTEXT
//   properties LIST<STRING>: the indexed properties
//   state STRING: POPULATING, then ONLINE
//   percent FLOAT: the populated share in percent
SHOW INDEXES YIELD name, type, properties, state, populationPercent
WHERE type IN ['VECTOR', 'FULLTEXT']
RETURN name, type AS kind, properties, state, populationPercent AS percent
ORDER BY kind, name
