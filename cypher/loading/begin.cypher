// Note that a load has begun, or goes on. One that has ended, of a source that may hold something
// else by now, begins anew. Setting `key` first locks the load.
//
// parameters:
//   $load INTEGER: names the load
//   $changes BOOLEAN: its source may change under the same name
// returns:
//   run INTEGER: how many times it has begun anew
//   done LIST<STRING>: keys of the files that it has loaded to their ends
//   rejected INTEGER: how many records of these were rejected
MERGE (l:Load {key: $load})
  ON CREATE SET l.began = datetime()
SET l.key = $load
WITH l, $changes AND l.ended IS NOT NULL AS anew
FOREACH (_ IN CASE WHEN anew THEN [1] ELSE [] END |
  SET l.run = coalesce(l.run, 0) + 1, l.began = datetime()
  REMOVE l.ended
)
WITH l, anew
CALL (anew) {
  MATCH (p:LoadedFile {load: $load})
  WHERE anew  // another process may have been at the load when it ended
  DELETE p
}
RETURN coalesce(l.run, 0) AS run,
  COLLECT { MATCH (p:LoadedFile {load: $load}) RETURN p.key } AS done,
  reduce(
    sum = 0, n IN COLLECT { MATCH (p:LoadedFile {load: $load}) RETURN p.rejected } |
    sum + coalesce(n, 0)
  ) AS rejected
