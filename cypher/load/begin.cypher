// Note that a load has begun, or goes on.
//
// parameters:
//   $load INTEGER: names the load
// returns:
//   done LIST<STRING>: keys of the files that it has loaded to their ends
MERGE (l:Load {key: $load})
  ON CREATE SET l.began = datetime()
RETURN COLLECT { MATCH (p:LoadedPart {load: $load}) RETURN p.key } AS done
