// The nodes with the labels of specter-graph, except those of the schema.
//
// A fragment, which other statements include.
MATCH (n:Paper|ArchivePaper|Author|Affiliation|Venue|Field|Reader|Submission|Topic|Identifier|EmbeddingSpace
  |Load|LoadedFile|SourceRecord|MergedAuthor|MergeRules|ReviewVenue|SearchWeights|Split|ReadingList|Watch)
