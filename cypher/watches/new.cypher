// Returns the papers that are new for a watch and near its target, or cite it.
//
// A paper is new if its record was loaded after the watch was added, and the watch has not reported
// it.
//
// parameters:
//   $name STRING: the watch
//   $near LIST<STRING>: papers near the target, in order
//   $cited LIST<STRING>: the papers of the target
// returns:
//   id STRING: a new paper
//   place INTEGER?: its place in $near, from 0
//   cites LIST<MAP>: id and title of papers of the target that it cites
//   loaded STRING: time at which it was loaded, ISO 8601
MATCH (w:Watch {name: $name})
CALL () {
  UNWIND range(0, size($near) - 1) AS place
  MATCH (paper:Paper {id: $near[place]})
  RETURN paper, place, null AS cited
  UNION ALL
  UNWIND $cited AS id
  MATCH (cited:Paper {id: id})<-[:CITES]-(paper:Paper)
  RETURN paper, null AS place, cited
}
WITH w, paper, place, cited
WHERE paper.loaded >= w.created AND NOT paper:Stub AND NOT paper.id IN $cited
WITH w, paper, min(place) AS place, collect(cited {.id, .title}) AS cites
WHERE NOT EXISTS { (paper)<-[:DESCRIBES]-{0,1}()<-[:REPORTED]-(w) }
RETURN paper.id AS id, place, cites, toString(paper.loaded) AS loaded
ORDER BY place IS NULL, place, size(cites) DESC, id
