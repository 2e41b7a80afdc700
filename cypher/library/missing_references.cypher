// References that a paper, a draft or a bibliography lacks, by text and by citations.
//
// The draft is a text, a paper of the graph, the ids of papers that it cites, or several of these.
// Candidates are the papers nearest to the text, those that the nearest cite, and those cited by
// the papers that share most references with the draft (bibliographic coupling, Kessler 1963). The
// score is the probability that the draft should cite the paper, by a logistic regression that
// docs/search.md describes. Papers without a record are rows too, with `stub` true. The paper's own
// citations count only as its bibliography.
//
// purpose: review
// parameters:
//   $id PAPER = null: a paper of the graph
//   $text TEXT = "": the text of a draft, such as its title and abstract
//   $cites LIST<STRING> = []: ids of papers that the draft cites
//   $until INTEGER = null: the last year of papers to find; by default that of the paper
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of papers, and at most as many papers without a record
// returns:
//   id STRING: a paper that the draft does not cite
//   title STRING: its title; null without a record
//   year INTEGER: its year
//   score FLOAT: the probability that the draft should cite it
//   stub BOOLEAN: true if the graph has no record of it
//   near FLOAT: from 1 for the nearest paper to 0 for the 100th nearest and those beyond
//   cited_near INTEGER: number of the 100 nearest papers that cite it
//   cited_with INTEGER: number of the papers sharing most references with the draft that cite it
//   citing_near LIST<MAP>: id and title of the two nearest papers that cite it
//   citing_with LIST<MAP>: id and title of the two that share most references and cite it
OPTIONAL MATCH (draft:Paper {id: $id})
WITH draft, coalesce($until, draft.year) AS until, coalesce($vector, draft[$space]) AS vector,
     COLLECT {
       UNWIND $cites AS id
       OPTIONAL MATCH (own:Paper {id: id})
       OPTIONAL MATCH (:SourceRecord {id: id})-[:DESCRIBES]->(into:Paper)
       WITH coalesce(own, into) AS cited
       WHERE cited IS NOT NULL
       RETURN cited
       UNION
       MATCH (draft)-[:CITES]->(cited:Paper)
       RETURN cited
     } AS known
CALL (draft, vector) {
  WITH draft, vector WHERE vector IS NOT NULL
  {{201 nearest to vector in $space}}
  WHERE coalesce(near <> draft, true)
  WITH near, score ORDER BY score DESC, near.id LIMIT 100
  WITH collect(near) AS papers, collect(score) AS scores
  UNWIND range(0, size(papers) - 1) AS i
  RETURN collect({
    paper: papers[i],
    near: CASE scores[0] - scores[-1]
      WHEN 0.0 THEN 1.0
      ELSE (scores[i] - scores[-1]) / (scores[0] - scores[-1])
    END
  }) AS nearest
}
CALL (draft, known) {
  UNWIND known AS cited
  CALL (draft, cited) {
    MATCH (cited)<-[:CITES]-(peer:Paper)
    WHERE coalesce(peer <> draft, true)
    WITH peer LIMIT 2000
    WITH peer ORDER BY {{sample order of peer}} LIMIT 200
    RETURN peer
  }
  WITH peer, count(*) AS shared
  WITH peer, 1.0 * shared * shared / COUNT { (peer)-[:CITES]->() } AS weight
  ORDER BY weight DESC, peer.id LIMIT 300
  RETURN collect({paper: peer, weight: weight}) AS peers
}
WITH draft, until, known, nearest, peers,
     reduce(sum = 0.0, each IN nearest | sum + each.near * each.near) AS near_sum,
     CASE
       WHEN size(nearest) > 0 AND size(known) > 0 THEN [1.344, 1.783, 0.571, 1.016, -0.491]
       WHEN size(known) > 0 THEN [0.123, 0.0, 0.0, 1.410, -0.404]
       ELSE [1.074, 2.344, 1.298, 0.0, -0.060]
     END AS weights
CALL (nearest, peers) {
  UNWIND nearest AS each
  RETURN each.paper AS paper, each.near AS near, null AS citing_near, null AS citing_peer
UNION ALL
  UNWIND nearest AS each
  WITH each, each.paper AS citing
  MATCH (citing)-[:CITES]->(paper:Paper)
  RETURN paper, 0.0 AS near, each AS citing_near, null AS citing_peer
UNION ALL
  UNWIND peers AS each
  WITH each, each.paper AS citing
  MATCH (citing)-[:CITES]->(paper:Paper)
  RETURN paper, 0.0 AS near, null AS citing_near, each AS citing_peer
}
WITH draft, until, known, near_sum, weights, paper, max(near) AS near,
     collect(citing_near) AS nears, collect(citing_peer) AS peers
WHERE coalesce(paper <> draft, true) AND NOT paper IN known
  AND coalesce(paper.year <= until, true)
WITH paper, near, nears, peers, weights,
     reduce(sum = 0.0, each IN nears | sum + each.near * each.near) / (near_sum + 1e-9) AS cited_near,
     reduce(sum = 0.0, each IN peers | sum + each.weight) / (size(known) + 1e-9) AS cited_with,
     COUNT { (paper)<-[:CITES]-() } AS citations
WITH paper, near, nears, peers,
     1 / (1 + exp(-(
       weights[0] + weights[1] * near + weights[2] * log(cited_near + 0.01)
       + weights[3] * log(cited_with + 0.01) + weights[4] * log(citations + 1)
     ))) AS score
ORDER BY score DESC, paper.id
WITH paper:Stub AS stub, collect({
  paper: paper, near: near, nears: nears, peers: peers, score: score
})[..$k] AS best
UNWIND best AS each
WITH stub, each, each.paper AS paper
RETURN paper.id AS id, paper.title AS title, paper.year AS year, each.score AS score, stub,
       each.near AS near, size(each.nears) AS cited_near, size(each.peers) AS cited_with,
       COLLECT {
         UNWIND each.nears AS citing
         WITH citing ORDER BY citing.near DESC, citing.paper.id LIMIT 2
         RETURN {id: citing.paper.id, title: citing.paper.title}
       } AS citing_near,
       COLLECT {
         UNWIND each.peers AS citing
         WITH citing ORDER BY citing.weight DESC, citing.paper.id LIMIT 2
         RETURN {id: citing.paper.id, title: citing.paper.title}
       } AS citing_with
ORDER BY stub, score DESC, id
