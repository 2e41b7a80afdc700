// Related work: two spaces, such as text and SGC, co-citation and coupling, fused into one list.
//
// A paper gets 1 / (60 + its rank) from each list that it is in: reciprocal rank fusion (Cormack,
// Clarke and Buettcher, SIGIR 2009). Co-citation ranks by the papers that cite both, coupling by
// the references of both, each over the root of the other paper's own number of them.
//
// purpose: recommend
// parameters:
//   $id PAPER: the paper
//   $space SPACE = null: one embedding space, by default specter, base or static
//   $other SPACE = "sgc": the other
//   $k INTEGER = 10: number of papers
//   $candidates INTEGER = 100: length of each list
// returns:
//   id STRING: a related paper
//   title STRING: its title
//   year INTEGER: its year
//   fused FLOAT: the sum over the lists
//   rank INTEGER: its rank in the space, null where it is not in the list
//   other_rank INTEGER: its rank in the other
//   cocitation_rank INTEGER: its rank by co-citation
//   coupling_rank INTEGER: its rank by coupling
//   cited BOOLEAN: true if the paper cites it
MATCH (paper:Paper {id: $id})
CALL (paper) {
  {{$candidates + 1 nearest to paper[$space] in $space}}
  WHERE near <> paper
  WITH near ORDER BY score DESC, near.id LIMIT $candidates
  RETURN collect(near) AS close
}
CALL (paper) {
  {{$candidates + 1 nearest to paper[$other] in $other}}
  WHERE near <> paper
  WITH near ORDER BY score DESC, near.id LIMIT $candidates
  RETURN collect(near) AS other_close
}
CALL (paper) {
  MATCH (paper)<-[:CITES]-()-[:CITES]->(near:Paper&!Stub)
  WITH near, count(*) AS both
  WITH near, both / sqrt(COUNT { (near)<-[:CITES]-() }) AS weight
  ORDER BY weight DESC, near.id LIMIT $candidates
  RETURN collect(near) AS cocited
}
CALL (paper) {
  MATCH (paper)-[:CITES]->()<-[:CITES]-(near)
  WITH near, count(*) AS both
  WITH near, both / sqrt(COUNT { (near)-[:CITES]->() }) AS weight
  ORDER BY weight DESC, near.id LIMIT $candidates
  RETURN collect(near) AS coupled
}
WITH paper, [close, other_close, cocited, coupled] AS lists
UNWIND range(0, size(lists) - 1) AS list
UNWIND range(1, size(lists[list])) AS place
WITH paper, lists[list][place - 1] AS near, list, place
WITH paper, near, sum(1.0 / (60 + place)) AS fused,
     max(CASE list WHEN 0 THEN place END) AS rank,
     max(CASE list WHEN 1 THEN place END) AS other_rank,
     max(CASE list WHEN 2 THEN place END) AS cocitation_rank,
     max(CASE list WHEN 3 THEN place END) AS coupling_rank
ORDER BY fused DESC, near.id
LIMIT $k
RETURN near.id AS id, near.title AS title, near.year AS year, fused, rank, other_rank,
       cocitation_rank, coupling_rank, EXISTS { (paper)-[:CITES]->(near) } AS cited
ORDER BY fused DESC, id
