// Note that a load has begun, or goes on. One that has ended begins anew: what it reads may have
// changed since, and is to replace what it read then.
//
// parameters:
//   $load INTEGER: names the load
// returns:
//   run INTEGER: how many times it has ended before
//   done LIST<STRING>: keys of the files that it has loaded to their ends
MERGE (l:Load {key: $load})
  ON CREATE SET l.began = datetime()
FOREACH (_ IN CASE WHEN l.ended IS NULL THEN [] ELSE [1] END |
  SET l.run = coalesce(l.run, 0) + 1, l.began = datetime()
  REMOVE l.ended
)
RETURN coalesce(l.run, 0) AS run,
  COLLECT { MATCH (p:LoadedPart {load: $load}) RETURN p.key } AS done
