// Whether nothing is there but the record of the schema.
//
// returns:
//   empty BOOLEAN
RETURN NOT EXISTS { MATCH (n:!Schema) } AS empty
