// The loads whose papers an update has come upon, this one among them.
//
// parameters:
//   $load INTEGER: names the update
// returns:
//   loads LIST<INTEGER>: names of loads
MATCH (l:Load {key: $load})
RETURN coalesce(l.replaces, []) AS loads
