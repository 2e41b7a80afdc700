// Projects the papers that have a vector in a space, without citations.
//
// parameters:
//   $graph STRING: the name of the projection
//   $space STRING: the space whose vectors become the property `features`
//   $ids LIST<STRING>: the papers to project; null for all
// returns:
//   projection MAP: the description that the client of GDS reads; null if nothing matches
MATCH (paper:Paper)
WHERE paper[$space] IS NOT NULL AND ($ids IS NULL OR paper.id IN $ids)
WITH paper, paper[$space] AS features ORDER BY paper.id
RETURN gds.graph.project(
  $graph, paper, null, {sourceNodeProperties: {features: features}, targetNodeProperties: null}
) AS projection
