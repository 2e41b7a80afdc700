// The end of a query of neo4j-graphrag: papers with the most cited papers around them.
//
// The library writes the beginning, which gives `node` and `score`. No vectors are returned.
//
// returns:
//   node MAP: id, title, abstract, year, doi and url of a paper
//   score FLOAT: how well it fits
//   cites LIST<MAP>: id, title and year of at most 5 papers that it cites
//   cited_by LIST<MAP>: and of at most 5 that cite it
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
