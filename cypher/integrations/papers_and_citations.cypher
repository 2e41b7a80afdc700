// The end of a neo4j-graphrag query: return papers with their citations, without vectors.
//
// The library writes the beginning, which yields `node` and `score`.
//
// returns:
//   node MAP: id, title, abstract, year, doi and url of a paper
//   score FLOAT: its score
//   cites LIST<MAP>: id, title and year of its 5 most cited references
//   cited_by LIST<MAP>: id, title and year of the 5 most cited papers that cite it
RETURN node {.id, .title, .abstract, .year, .doi, .url} AS node, score,
       COLLECT {
         MATCH (node)-[:CITES]->(cited:Paper&!Stub)
         WITH cited ORDER BY COUNT { (cited)<-[:CITES]-() } DESC, cited.id LIMIT 5
         RETURN cited {.id, .title, .year}
       } AS cites,
       COLLECT {
         MATCH (node)<-[:CITES]-(citing:Paper)
         WITH citing ORDER BY COUNT { (citing)<-[:CITES]-() } DESC, citing.id LIMIT 5
         RETURN citing {.id, .title, .year}
       } AS cited_by
ORDER BY score DESC, node.id
