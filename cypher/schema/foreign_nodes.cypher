// A node of another program with a label of specter-graph, in a database without its schema.
//
// returns:
//   labels LIST<STRING>: its labels
MATCH (n:Paper|ArchivePaper|Author|Affiliation|Venue|Field|Reader|Submission|Topic|Identifier|EmbeddingSpace
  |Load|LoadedFile|SourceRecord|MergedAuthor|MergeRules|ReviewVenue|SearchWeights|Split|ReadingList|Watch)
WHERE NOT EXISTS { (:Schema) }
RETURN labels(n) AS labels
LIMIT 1
