// Creates a reading list, if there is none of this name.
//
// parameters:
//   $name STRING: its name
//   $description STRING?: its description
// returns:
//   created BOOLEAN: true if there was none
MERGE (l:ReadingList {name: $name})
  ON CREATE SET l.created = datetime(), l.is_new = true
SET l.description = coalesce($description, l.description)
WITH l, coalesce(l.is_new, false) AS created
REMOVE l.is_new
RETURN created
