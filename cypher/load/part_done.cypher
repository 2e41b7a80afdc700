// Note that all of a file is in the graph.
//
// parameters:
//   $load INTEGER: names the load
//   $key STRING: names the file as it is now
MERGE (:LoadedPart {load: $load, key: $key})
