// Stores how the papers were split.
//
// parameters:
//   $properties MAP: rule, digest, test, validation, created
MERGE (split:Split {id: 'current'})
SET split += $properties
