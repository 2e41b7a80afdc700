// Whether papers are left from which something may have to be moved.
//
// returns:
//   left BOOLEAN: there are
RETURN EXISTS { (:Unsettled&!Stub) } AS left
