// Note that an update has come upon papers of loads.
//
// parameters:
//   $load INTEGER: names the update
//   $loads LIST<INTEGER>: all of them so far
MERGE (l:Load {key: $load})
  ON CREATE SET l.began = datetime()
SET l.replaces = $loads
