// The end of a LangChain query: return papers as documents, without vectors.
//
// The library writes the beginning, which yields `node` and `score`.
//
// returns:
//   text STRING: title and abstract of a paper
//   score FLOAT: its score
//   metadata MAP: id, title, year, doi and url
RETURN coalesce(node.title, '') + coalesce('\n\n' + node.abstract, '') AS text, score,
       node {.id, .title, .year, .doi, .url} AS metadata
ORDER BY score DESC, metadata.id
