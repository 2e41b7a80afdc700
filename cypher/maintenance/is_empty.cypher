// Whether nothing is there but the record of the schema.
//
// returns:
//   empty BOOLEAN: no other node is there
RETURN NOT EXISTS { MATCH (n:!Schema) } AS empty
