// Papers that are near a paper in one space and far in another, such as text and SGC.
//
// A rank is the place among the nearest papers in a space, or one more than the last place if the
// paper is not among them. The hops show if citations explain the difference.
//
// purpose: explore
// parameters:
//   $id PAPER: the paper
//   $space SPACE = null: one embedding space, by default specter, base or static
//   $other SPACE = "sgc": the other
//   $k INTEGER = 10: number of papers
//   $candidates INTEGER = 100: number of the nearest papers to rank in each
// returns:
//   id STRING: a paper near in one of them
//   title STRING: its title
//   year INTEGER: its year
//   rank INTEGER: its rank in the space
//   other_rank INTEGER: its rank in the other
//   hops INTEGER: the citations between them, at most 4, null where there are more
MATCH (paper:Paper {id: $id})
CALL (paper) {
  {{$candidates + 1 nearest to paper[$space] in $space}}
  WHERE near <> paper
  WITH near ORDER BY score DESC, near.id LIMIT $candidates
  RETURN collect(near) AS ranked
}
CALL (paper) {
  {{$candidates + 1 nearest to paper[$other] in $other}}
  WHERE near <> paper
  WITH near ORDER BY score DESC, near.id LIMIT $candidates
  RETURN collect(near) AS other_ranked
}
UNWIND ranked + other_ranked AS near
WITH DISTINCT paper, near, ranked, other_ranked
WITH paper, near,
     coalesce([i IN range(1, size(ranked)) WHERE ranked[i - 1] = near][0], $candidates + 1)
       AS rank,
     coalesce([i IN range(1, size(other_ranked)) WHERE other_ranked[i - 1] = near][0],
       $candidates + 1) AS other_rank
ORDER BY abs(rank - other_rank) DESC, near.id
LIMIT $k
OPTIONAL MATCH path = ANY SHORTEST (paper)-[:CITES]-{1,4}(near)
RETURN near.id AS id, near.title AS title, near.year AS year, rank, other_rank,
       length(path) AS hops
ORDER BY abs(rank - other_rank) DESC, id
