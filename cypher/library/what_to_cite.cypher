// What to cite for a sentence: by abstracts, by what is cited near it, and by citation contexts.
//
// Three lists, fused as in `related_work`: the papers whose text is nearest to the sentence; what
// these papers cite, by the sum of their scores; and what they cite in a sentence with the same
// words, by the share of the words of four letters or more that the best such sentence has. Only
// some sources tell the sentences; without them the other two lists decide.
//
// purpose: recommend
// parameters:
//   $text TEXT: the sentence that wants a citation
//   $space SPACE = "specter": the embedding space
//   $k INTEGER = 10: how many papers
//   $candidates INTEGER = 100: how long each list is
// returns:
//   id STRING: a paper to cite
//   title STRING: its title
//   year INTEGER: its year
//   fused FLOAT: the sum over the lists
//   rank INTEGER: its rank by text, null where it is not in the list
//   neighbour_rank INTEGER: its rank among what the nearest papers cite
//   context_rank INTEGER: its rank by the sentences around citations
//   context STRING: the best of these sentences, null where none has a word of it
CALL () {
  {{$candidates nearest to $vector in $space}}
  WITH near, score ORDER BY score DESC, near.id
  RETURN collect(near) AS nearest, collect(score) AS scores
}
CALL (nearest, scores) {
  UNWIND range(0, size(nearest) - 1) AS i
  WITH nearest[i] AS near, scores[i] AS score
  MATCH (near)-[:CITES]->(reference:Paper&!Stub)
  WITH reference, sum(score) AS weight
  ORDER BY weight DESC, reference.id LIMIT $candidates
  RETURN collect(reference) AS near_cite
}
CALL (nearest) {
  WITH nearest, [word IN split(toLower($text), [' ', ',', ';', ':', '.', '(', ')'])
                 WHERE size(word) >= 4] AS words
  UNWIND nearest AS near
  MATCH (near)-[citation:CITES]->(reference:Paper&!Stub)
  UNWIND citation.contexts AS context
  WITH reference, context, size([word IN words WHERE toLower(context) CONTAINS word]) AS shared
  WHERE shared > 0
  WITH reference, shared, context ORDER BY shared DESC, context
  WITH reference, max(shared) AS shared, collect(context)[0] AS context
  ORDER BY shared DESC, reference.id LIMIT $candidates
  RETURN collect(reference) AS in_contexts, collect(context) AS contexts
}
WITH [nearest, near_cite, in_contexts] AS lists, contexts
UNWIND range(0, size(lists) - 1) AS list
UNWIND range(1, size(lists[list])) AS place
WITH lists[list][place - 1] AS reference, list, place, contexts
WITH reference, contexts, sum(1.0 / (60 + place)) AS fused,
     max(CASE list WHEN 0 THEN place END) AS rank,
     max(CASE list WHEN 1 THEN place END) AS neighbour_rank,
     max(CASE list WHEN 2 THEN place END) AS context_rank
RETURN reference.id AS id, reference.title AS title, reference.year AS year, fused, rank,
       neighbour_rank, context_rank, contexts[context_rank - 1] AS context
ORDER BY fused DESC, id
LIMIT $k
