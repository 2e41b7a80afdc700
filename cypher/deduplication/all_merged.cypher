// All merged papers with what is remembered of them, by id.
//
// returns:
//   paper STRING: the paper
//   members LIST<MAP>: id, record, load, told
MATCH (own:Merged) WHERE own.id > ''
MATCH (own)-[:INTO]->(p:Paper) WHERE p.id = own.id
RETURN p.id AS paper, COLLECT {
    MATCH (m:Merged)-[:INTO]->(p)
    RETURN m {.id, .record, .load, .told}
  } AS members
ORDER BY own.id
