// Delete every node of ours but the record of the schema, in many small transactions.
//
// parameters:
//   $rows INTEGER: how many in a transaction
MATCH (n:Paper|ArchivePaper|Author|Affiliation|Venue|Field|Reader|Submission|Topic|Identifier|EmbeddingSpace
  |Load|LoadedFile|SourceRecord|MergedAuthor|MergeRules|ReviewVenue|SearchWeights)
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF $rows ROWS
