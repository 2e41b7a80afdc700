// References that a paper most likely lacks: three signals of text and citations, fused.
//
// Lists of earlier papers that it does not cite: the nearest in the space; those that its nearest
// papers cite, by the sum of their scores; those that the papers with most references in common
// cite, by the sum of their coupling. A paper gets 1 / (60 + its rank) from each list (reciprocal
// rank fusion). `missing_references` goes further from what is cited.
//
// purpose: review
// parameters:
//   $id PAPER: the paper
//   $space SPACE = "specter": the embedding space
//   $k INTEGER = 10: how many papers
//   $candidates INTEGER = 100: how long each list is, and how many papers are asked what they cite
// returns:
//   id STRING: a paper that it does not cite
//   title STRING: its title
//   year INTEGER: its year
//   fused FLOAT: the sum over the lists
//   rank INTEGER: its rank in the space, null where it is not in the list
//   neighbour_rank INTEGER: its rank among what the nearest papers cite
//   coupling_rank INTEGER: its rank among what the papers with the same references cite
MATCH (paper:Paper {id: $id})
WITH paper, COLLECT { MATCH (paper)-[:CITES]->(cited) RETURN cited } + paper AS known
CALL (paper, known) {
  {{$candidates * 2 nearest to paper[$space] in $space}}
  WHERE NOT near IN known AND coalesce(near.year <= paper.year, true)
  WITH near ORDER BY score DESC, near.id LIMIT $candidates
  RETURN collect(near) AS close
}
CALL (paper, known) {
  {{$candidates + 1 nearest to paper[$space] in $space}}
  WHERE near <> paper
  MATCH (near)-[:CITES]->(reference:Paper&!Stub)
  WITH paper, known, reference, sum(score) AS weight
  WHERE NOT reference IN known AND coalesce(reference.year <= paper.year, true)
  WITH reference ORDER BY weight DESC, reference.id LIMIT $candidates
  RETURN collect(reference) AS near_cite
}
CALL (paper, known) {
  MATCH (paper)-[:CITES]->()<-[:CITES]-(peer)
  WITH paper, known, peer, count(*) AS both
  WITH paper, known, peer, both / sqrt(COUNT { (peer)-[:CITES]->() }) AS coupling
  ORDER BY coupling DESC, peer.id LIMIT $candidates
  MATCH (peer)-[:CITES]->(reference:Paper&!Stub)
  WITH paper, known, reference, sum(coupling) AS weight
  WHERE NOT reference IN known AND coalesce(reference.year <= paper.year, true)
  WITH reference ORDER BY weight DESC, reference.id LIMIT $candidates
  RETURN collect(reference) AS peers_cite
}
WITH [close, near_cite, peers_cite] AS lists
UNWIND range(0, size(lists) - 1) AS list
UNWIND range(1, size(lists[list])) AS place
WITH lists[list][place - 1] AS reference, list, place
WITH reference, sum(1.0 / (60 + place)) AS fused,
     max(CASE list WHEN 0 THEN place END) AS rank,
     max(CASE list WHEN 1 THEN place END) AS neighbour_rank,
     max(CASE list WHEN 2 THEN place END) AS coupling_rank
RETURN reference.id AS id, reference.title AS title, reference.year AS year, fused, rank,
       neighbour_rank, coupling_rank
ORDER BY fused DESC, id
LIMIT $k
