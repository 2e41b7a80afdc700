// Returns the papers that have identifiers, themselves or by a record that `enrich` has added.
//
// parameters:
//   $identifiers LIST<LIST<STRING>>: (scheme, value)
//   $enriches STRING: the scheme that marks a record that `enrich` has added
// returns:
//   scheme STRING: the identifier
//   value STRING: its value
//   papers LIST<STRING>: ids of the papers
UNWIND $identifiers AS identifier
MATCH (i:Identifier {scheme: identifier[0], value: identifier[1]})-[:OF]->(p:Paper)
OPTIONAL MATCH (p)<-[:OF]-(mark:Identifier {scheme: $enriches})
WITH i, p, coalesce(mark.value, p.id) AS paper, mark
WHERE mark IS NULL OR paper <> p.id
RETURN i.scheme AS scheme, i.value AS value, collect(DISTINCT paper) AS papers
