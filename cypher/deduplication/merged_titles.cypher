// What is remembered of all merged papers that have records. Looks at all of them.
//
// returns:
//   id STRING: the merged paper
//   told STRING: what a source tells of it, as JSON
MATCH (m:Merged)-[:INTO]->(p:Paper)
WHERE m.record IS NOT NULL
RETURN p.id AS id, m.told AS told
