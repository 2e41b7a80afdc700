// The end of a LangChain query that compares the results: papers as documents, with their vectors.
//
// The library writes the beginning, which yields `node` and `score`, and removes the vectors.
//
// parameters:
//   $space STRING: the property with the vectors
// returns:
//   text STRING: title and abstract of a paper
//   score FLOAT: its score
//   metadata MAP: id, title, year, doi, url and the vector
RETURN coalesce(node.title, '') + coalesce('\n\n' + node.abstract, '') AS text, score,
       node {.id, .title, .year, .doi, .url, _embedding_: node[$space]} AS metadata
ORDER BY score DESC, metadata.id
