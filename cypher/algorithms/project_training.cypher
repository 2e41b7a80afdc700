// Projects the papers that have a record, with the citations that an embedding may use.
//
// Citations are undirected; those from and to held-out papers are omitted. The first rows have the
// vectors; the rows of citations need none.
//
// parameters:
//   $graph STRING: the name of the projection
//   $space STRING: the space whose vectors become the property `features`; null for none
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   projection MAP: the description that the client of GDS reads; null if nothing matches
CALL () {
  MATCH (paper:Paper&!Stub)
  RETURN paper AS citing, null AS cited, paper[$space] AS features ORDER BY paper.id
  UNION ALL
  MATCH (citing:Paper&!Stub)-[:CITES]->(cited:Paper&!Stub)
  WHERE citing.sample_key >= $held_out AND cited.sample_key >= $held_out
  RETURN citing, cited, null AS features
}
RETURN gds.graph.project(
  $graph, citing, cited,
  {
    sourceNodeProperties: CASE WHEN features IS NULL THEN null ELSE {features: features} END,
    targetNodeProperties: null
  },
  {undirectedRelationshipTypes: ['*']}
) AS projection
