// The indexes that searches ask, and how far each is filled.
//
// returns:
//   name STRING: the index
//   kind STRING: VECTOR or FULLTEXT
//   properties LIST<STRING>: what it holds
//   state STRING: ONLINE when it answers, POPULATING until then
//   percent FLOAT: how far it is filled
SHOW INDEXES YIELD name, type, properties, state, populationPercent
WHERE type IN ['VECTOR', 'FULLTEXT']
RETURN name, type AS kind, properties, state, populationPercent AS percent
ORDER BY kind, name
