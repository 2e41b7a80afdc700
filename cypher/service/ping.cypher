// Returns true; an error means that the server does not answer.
//
// returns:
//   here BOOLEAN: true
RETURN true AS here
