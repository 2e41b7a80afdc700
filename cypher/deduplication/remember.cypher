// Remember what is told of papers under their own ids before they take in others.
//
// What citations and labels say is made anew by `united`.
//
// parameters:
//   $papers LIST<MAP>: id, draw, smallest (draw of those that it is made of), record, load, told;
//     in the order of the ids
UNWIND $papers AS row
MATCH (p:Paper {id: row.id})
CALL (p) {
  MATCH (p)-[r:CITES|ABOUT]->()
  DELETE r
}
SET p:Unwritten, p.record = 0, p.draw = row.smallest
REMOVE p.abstract_apart
CREATE (m:Merged {id: row.id})-[:INTO]->(p)
SET m.draw = row.draw, m.record = row.record, m.load = row.load, m.told = row.told
