// The end of a query of LangChain: papers as documents.
//
// The library writes the beginning, which gives `node` and `score`. No vectors are returned.
//
// returns:
//   text STRING: title and abstract of a paper
//   score FLOAT: how well it fits
//   metadata MAP: its id, title, year, doi and url
RETURN coalesce(node.title, '') + coalesce('\n\n' + node.abstract, '') AS text, score,
       node {.id, .title, .year, .doi, .url} AS metadata
ORDER BY score DESC, metadata.id
