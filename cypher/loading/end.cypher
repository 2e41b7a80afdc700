// Note that a load is complete: run again, it reads its files anew.
//
// parameters:
//   $load INTEGER: names the load
MATCH (l:Load {key: $load})
SET l.ended = datetime()
WITH l
CALL () {
  MATCH (p:LoadedFile {load: $load})
  DELETE p
}
RETURN l.key AS load
