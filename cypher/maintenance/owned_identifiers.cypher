// Returns the identifiers that papers other than those that `enrich` has added have.
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
WHERE NOT EXISTS { (p)<-[:OF]-(:Identifier {scheme: $enriches}) }
RETURN i.scheme AS scheme, i.value AS value, collect(p.id) AS papers
