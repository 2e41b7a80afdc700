// Returns the stored split; no row if the papers are split by a hash of their ids.
//
// returns:
//   split MAP: rule, digest, test, validation, created
MATCH (split:Split {id: 'current'})
RETURN properties(split) AS split
