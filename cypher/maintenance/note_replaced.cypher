// Stores the loads whose papers an update has replaced.
//
// parameters:
//   $load INTEGER: identifies the update
//   $loads LIST<INTEGER>: all such loads so far
MERGE (l:Load {key: $load})
  ON CREATE SET l.began = datetime()
SET l.replaces = $loads
