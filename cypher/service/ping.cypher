// Whether the server answers.
//
// returns:
//   here BOOLEAN: true
RETURN true AS here
