// Records that a file is loaded completely.
//
// parameters:
//   $load INTEGER: identifies the load
//   $key STRING: identifies the file in its present state
//   $rejected INTEGER: number of its rejected records
MERGE (p:LoadedFile {load: $load, key: $key})
SET p.rejected = $rejected
