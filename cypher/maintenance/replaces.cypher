// Returns the loads whose papers updates have replaced.
//
// parameters:
//   $loads LIST<INTEGER>: identify updates; other loads have replaced none
// returns:
//   loads LIST<INTEGER>: the loads
UNWIND $loads AS load
MATCH (l:Load {key: load})
RETURN coalesce(l.replaces, []) AS loads
