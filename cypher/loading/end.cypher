// Records that a load is complete: run again, it reads its files again.
//
// parameters:
//   $load INTEGER: identifies the load
MATCH (l:Load {key: $load})
SET l.ended = datetime()
WITH l
CALL () {
  MATCH (p:LoadedFile {load: $load})
  DELETE p
}
RETURN l.key AS load
