// The best citation paths between two papers, with the similarity along them.
//
// Of all shortest paths, over citations in either direction and papers with records, those with the
// highest mean similarity from paper to paper. A path through a paper without a vector is left out.
//
// purpose: explore
// parameters:
//   $from PAPER: start of the path
//   $to PAPER: its end
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $hops INTEGER = 6: the longest path, at most 8
//   $k INTEGER = 3: number of paths
// returns:
//   hops INTEGER: the length of the path
//   mean FLOAT: the mean of the similarities
//   weakest FLOAT: the least of them
//   similarities LIST<FLOAT>: 1 / (1 + squared distance) from each paper to the next
//   steps LIST<STRING>: cites, or cited by, from each paper to the next
//   ids LIST<STRING>: the papers
//   titles LIST<STRING>: their titles
MATCH (end:Paper)
WHERE end.id IN [$from, $to]
WITH collect(end) AS ends
WITH [end IN ends WHERE end.id = $from][0] AS from, [end IN ends WHERE end.id = $to][0] AS to
WHERE from <> to
MATCH path = ALL SHORTEST
  (from) (()-[:CITES]-(next:Paper&!Stub)){1,8} (to)
WHERE length(path) <= $hops
WITH nodes(path) AS papers, relationships(path) AS citations
WHERE all(each IN papers WHERE each[$space] IS NOT NULL)
WITH papers, citations, [i IN range(1, size(papers) - 1) |
  vector.similarity.euclidean(papers[i - 1][$space], papers[i][$space])] AS similarities
RETURN size(citations) AS hops,
       reduce(total = 0.0, each IN similarities | total + each) / size(similarities) AS mean,
       reduce(least = 1.0, each IN similarities | CASE WHEN each < least THEN each ELSE least END)
         AS weakest,
       similarities,
       [i IN range(0, size(citations) - 1) |
         CASE startNode(citations[i]) WHEN papers[i] THEN 'cites' ELSE 'cited by' END] AS steps,
       [each IN papers | each.id] AS ids,
       [each IN papers | each.title] AS titles
ORDER BY mean DESC, ids
LIMIT $k
