// What a draft should cite and does not, from its text and the references that it has so far.
//
// Three lists, fused as in `related_work`: the papers nearest to the text; those that these papers
// cite, by the sum of their scores; those that are cited together with the draft's references.
//
// purpose: review
// parameters:
//   $text TEXT: the draft's text, such as its title and abstract
//   $cites LIST<STRING> = []: ids of the papers that it cites
//   $space SPACE = "specter": the embedding space
//   $k INTEGER = 10: how many papers
//   $candidates INTEGER = 100: how long each list is
// returns:
//   id STRING: a paper that the draft does not cite
//   title STRING: its title
//   year INTEGER: its year
//   fused FLOAT: the sum over the lists
//   rank INTEGER: its rank by text, null where it is not in the list
//   neighbour_rank INTEGER: its rank among what the nearest papers cite
//   cocitation_rank INTEGER: its rank by co-citation with the draft's references
CALL () {
  {{$candidates nearest to $vector in $space}}
  WITH near, score ORDER BY score DESC, near.id
  RETURN collect(near) AS nearest, collect(score) AS scores
}
WITH nearest, scores, COLLECT {
  UNWIND $cites AS id
  OPTIONAL MATCH (:Merged {id: id})-[:INTO]->(merged:Paper)
  RETURN DISTINCT coalesce(merged.id, id)
} AS cites
CALL (nearest, scores, cites) {
  UNWIND range(0, size(nearest) - 1) AS i
  WITH nearest[i] AS near, scores[i] AS score
  MATCH (near)-[:CITES]->(reference:Paper&!Stub)
  WHERE NOT reference.id IN cites
  WITH reference, sum(score) AS weight
  ORDER BY weight DESC, reference.id LIMIT $candidates
  RETURN collect(reference) AS near_cite
}
CALL (cites) {
  UNWIND cites AS id
  MATCH (:Paper {id: id})<-[:CITES]-()-[:CITES]->(reference:Paper&!Stub)
  WHERE NOT reference.id IN cites
  WITH reference, count(*) AS both
  WITH reference, both / sqrt(COUNT { (reference)<-[:CITES]-() }) AS weight
  ORDER BY weight DESC, reference.id LIMIT $candidates
  RETURN collect(reference) AS cocited
}
WITH [[near IN nearest WHERE NOT near.id IN cites], near_cite, cocited] AS lists
UNWIND range(0, size(lists) - 1) AS list
UNWIND range(1, size(lists[list])) AS place
WITH lists[list][place - 1] AS reference, list, place
WITH reference, sum(1.0 / (60 + place)) AS fused,
     max(CASE list WHEN 0 THEN place END) AS rank,
     max(CASE list WHEN 1 THEN place END) AS neighbour_rank,
     max(CASE list WHEN 2 THEN place END) AS cocitation_rank
RETURN reference.id AS id, reference.title AS title, reference.year AS year, fused, rank,
       neighbour_rank, cocitation_rank
ORDER BY fused DESC, id
LIMIT $k
