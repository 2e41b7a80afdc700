// Adds a watch, if there is none of this name.
//
// parameters:
//   $name STRING: its name
//   $kind STRING: query, list or paper
//   $target STRING: the query, the name of the list, or the id of the paper
//   $among INTEGER: number of papers of the whole graph among which a new one is near
// returns:
//   created BOOLEAN: true if there was none
MERGE (w:Watch {name: $name})
  ON CREATE SET w.created = datetime(), w.kind = $kind, w.target = $target, w.among = $among,
    w.is_new = true
WITH w, coalesce(w.is_new, false) AS created
REMOVE w.is_new
RETURN created
