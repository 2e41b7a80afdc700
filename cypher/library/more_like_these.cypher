// Papers similar to a set of papers, by text and citations, such as the first ones of a review.
//
// Two lists are fused as in `related_work`. The first ranks papers by the sum of their scores to the
// papers of the set that they are near. The second ranks them by the number of citations between
// the paper and the set, divided by the square root of all its citations, given and received.
//
// purpose: review
// parameters:
//   $ids LIST<PAPER>: the papers of the set
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of papers
//   $candidates INTEGER = 100: number of the nearest papers of each, and length of each list
// returns:
//   id STRING: a paper
//   title STRING: its title
//   year INTEGER: its year
//   fused FLOAT: the sum over the lists
//   rank INTEGER: its rank by text, null where it is not in the list
//   citation_rank INTEGER: its rank by citations
//   links INTEGER: citations between it and the set
CALL () {
  UNWIND $ids AS id
  MATCH (seed:Paper {id: id})
  CALL (seed) {
    {{$candidates nearest to seed[$space] in $space}}
    WHERE NOT near.id IN $ids
    RETURN near, score
  }
  WITH near, sum(score) AS closeness
  ORDER BY closeness DESC, near.id LIMIT $candidates
  RETURN collect(near) AS close
}
CALL (close) {
  MATCH (seed:Paper)-[:CITES]-(linked:Paper&!Stub)
  WHERE seed.id IN $ids AND NOT linked.id IN $ids
  WITH linked, count(*) AS links
  WITH linked, links / sqrt(COUNT { (linked)-[:CITES]-() }) AS weight
  ORDER BY weight DESC, linked.id LIMIT $candidates
  RETURN collect(linked) AS joined
}
WITH [close, joined] AS lists
UNWIND range(0, size(lists) - 1) AS list
UNWIND range(1, size(lists[list])) AS place
WITH lists[list][place - 1] AS found, list, place
WITH found, sum(1.0 / (60 + place)) AS fused,
     max(CASE list WHEN 0 THEN place END) AS rank,
     max(CASE list WHEN 1 THEN place END) AS citation_rank
ORDER BY fused DESC, found.id
LIMIT $k
RETURN found.id AS id, found.title AS title, found.year AS year, fused, rank, citation_rank,
       COUNT { MATCH (found)-[:CITES]-(seed) WHERE seed.id IN $ids } AS links
ORDER BY fused DESC, id
