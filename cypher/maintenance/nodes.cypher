// Deletes all nodes of specter-graph except those of the schema, in several transactions.
//
// parameters:
//   $rows INTEGER: nodes per transaction
MATCH (n:Paper|ArchivePaper|Author|Affiliation|Venue|Field|Reader|Submission|Topic|Identifier|EmbeddingSpace
  |Load|LoadedFile|SourceRecord|MergedAuthor|MergeRules|ReviewVenue|SearchWeights|Split|ReadingList|Watch)
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF $rows ROWS
