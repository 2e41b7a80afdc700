// Records that a load has begun or continues.
//
// A load that has ended begins again if its source may have changed. Setting `key` first locks the
// load.
//
// parameters:
//   $load INTEGER: identifies the load
//   $is_mutable BOOLEAN: its source may change under the same name
// returns:
//   run INTEGER: number of times that the load has begun again
//   done LIST<STRING>: keys of the completely loaded files
//   rejected INTEGER: number of rejected records of these files
MERGE (l:Load {key: $load})
  ON CREATE SET l.began = datetime()
SET l.key = $load
WITH l, $is_mutable AND l.ended IS NOT NULL AS anew
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
