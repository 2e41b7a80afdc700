// Note by which ids readings name their papers.
//
// parameters:
//   $readings LIST<MAP>: element (its internal id), named
UNWIND $readings AS row
MATCH ()-[v]->() WHERE elementId(v) = row.element
SET v.named = row.named
