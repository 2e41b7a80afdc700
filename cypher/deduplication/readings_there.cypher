// The readings of papers by readers, where there are any.
//
// parameters:
//   $pairs LIST<LIST<STRING>>: (reader, paper)
// returns:
//   reader STRING: the reader
//   kind STRING: VIEWED or READ
//   paper STRING: the paper
//   properties MAP: those of the reading
//   element STRING: finds it again
UNWIND $pairs AS pair
MATCH (r:Reader {id: pair[0]})
CALL (r, pair) {
  MATCH (p:Paper {id: pair[1]})
  MATCH (r)-[v:VIEWED|READ]->(p)
  RETURN type(v) AS kind, properties(v) AS properties, elementId(v) AS element
}
RETURN pair[0] AS reader, kind, pair[1] AS paper, properties, element
