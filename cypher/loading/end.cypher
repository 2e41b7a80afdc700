// Records that a load is complete, so that the next run reads all files again.
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
