// Papers that bridge two communities: they cite, or are cited by, both neighborhoods.
//
// A community is the set of papers that are near one paper and not near the other.
//
// purpose: explore
// parameters:
//   $from PAPER: a paper in the one community
//   $to PAPER: a paper in the other
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of papers
//   $candidates INTEGER = 100: number of the nearest papers that form a community
// returns:
//   id STRING: a bridge
//   title STRING: its title
//   year INTEGER: its year
//   bridge FLOAT: the root of the product of the two counts
//   from_links INTEGER: citations between it and the one community
//   to_links INTEGER: citations between it and the other
//   similarity_from FLOAT: 1 / (1 + squared distance) to the first paper
//   similarity_to FLOAT: 1 / (1 + squared distance) to the second
MATCH (from:Paper {id: $from})
{{$candidates nearest to from[$space] in $space}}
WITH from, collect(near) AS from_near
CALL (from) {
  MATCH (to:Paper {id: $to})
  {{$candidates nearest to to[$space] in $space}}
  RETURN to, collect(near) AS to_near
}
CALL (from_near, to_near) {
  UNWIND [near IN from_near WHERE NOT near IN to_near] AS near
  MATCH (near)-[:CITES]-(bridge:Paper&!Stub)
  RETURN bridge, 1 AS from_link, 0 AS to_link
UNION ALL
  UNWIND [near IN to_near WHERE NOT near IN from_near] AS near
  MATCH (near)-[:CITES]-(bridge:Paper&!Stub)
  RETURN bridge, 0 AS from_link, 1 AS to_link
}
WITH from, to, bridge, sum(from_link) AS from_links, sum(to_link) AS to_links
WHERE from_links > 0 AND to_links > 0
RETURN bridge.id AS id, bridge.title AS title, bridge.year AS year,
       sqrt(from_links * to_links) AS bridge, from_links, to_links,
       vector.similarity.euclidean(from[$space], bridge[$space]) AS similarity_from,
       vector.similarity.euclidean(to[$space], bridge[$space]) AS similarity_to
ORDER BY bridge DESC, id
LIMIT $k
