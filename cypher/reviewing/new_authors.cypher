// Creates authors of submissions that are known by an e-mail address or a profile alone.
//
// parameters:
//   $authors LIST<MAP>: id, name; in the order of the ids
UNWIND $authors AS row
MERGE (a:Author {id: row.id})
  ON CREATE SET a.name = row.name, a.identified = true
