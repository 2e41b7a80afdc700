// The loads whose papers updates have come upon, these among them.
//
// parameters:
//   $loads LIST<INTEGER>: name the updates; what is no update has come upon none
// returns:
//   loads LIST<INTEGER>: names of loads
UNWIND $loads AS load
MATCH (l:Load {key: load})
RETURN coalesce(l.replaces, []) AS loads
