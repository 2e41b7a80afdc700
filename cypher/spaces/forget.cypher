// Deletes the record of an embedding space, and what a search has learnt with it.
//
// parameters:
//   $property STRING: the name of the space
MATCH (record:EmbeddingSpace|SearchWeights)
WHERE $property IN [record.property, record.space]
DELETE record
