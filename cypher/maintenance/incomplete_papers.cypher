// Returns papers with their identifiers, and the parts that they have.
//
// Papers that `enrich` itself has added are left out.
//
// parameters:
//   $list STRING?: only papers of this reading list
//   $enriches STRING: the scheme that marks what `enrich` has added
// returns:
//   id STRING: the paper, in order
//   title STRING: its title
//   year INTEGER?: its year
//   author STRING?: its first author
//   abstract BOOLEAN: true if it has an abstract
//   references BOOLEAN: true if it cites a paper
//   identifiers LIST<LIST<STRING>>: (scheme, value), in order
//   records LIST<STRING>: ids of its SourceRecords
MATCH (p:Paper&!Stub)
WHERE $list IS NULL OR EXISTS {
  MATCH (:ReadingList {name: $list})-[:LISTS]->(named)
  WHERE named = p OR EXISTS { (named)-[:DESCRIBES]->(p) }
}
WITH p, COLLECT {
  MATCH (p)<-[:OF]-(i:Identifier)
  WITH i.scheme AS scheme, i.value AS value ORDER BY scheme, value
  RETURN [scheme, value]
} AS identifiers
WHERE NONE(identifier IN identifiers WHERE identifier[0] = $enriches)
RETURN p.id AS id, p.title AS title, p.year AS year,
  head(COLLECT { MATCH (p)<-[w:WROTE]-(a:Author) RETURN a.name ORDER BY w.position LIMIT 1 })
    AS author,
  p.abstract IS NOT NULL AS abstract, EXISTS { (p)-[:CITES]->() } AS references, identifiers,
  COLLECT { MATCH (s:SourceRecord)-[:DESCRIBES]->(p) RETURN s.id } AS records
ORDER BY id
