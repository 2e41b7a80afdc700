// Note that all of a file is in the graph.
//
// parameters:
//   $load INTEGER: names the load
//   $key STRING: names the file as it is now
//   $rejected INTEGER: how many of its records were rejected
MERGE (p:LoadedFile {load: $load, key: $key})
SET p.rejected = $rejected
