// Write the records of papers; leave alone those that carry the same record already.
//
// Setting `draw` first locks the paper, so that two processes that load the same record do not
// both take it for new. Within one load the record of greater rank stays; a later load replaces. A
// property that the record lacks is removed, but for an abstract that was told apart: that stays.
//
// parameters:
//   $papers LIST<MAP>: id, draw, record (the rank and digest of all that it says), properties
//   $load INTEGER: names this load
// returns:
//   state STRING: new; changed; better, than this load's own record before; worse than that; same
//   known BOOLEAN: relationships of them may be there
//   ids LIST<STRING>: the papers of which this is so (a row for each would take twice the time)
UNWIND $papers AS row
MERGE (p:Paper {id: row.id})
SET p.draw = row.draw
WITH p, row, CASE WHEN p.abstract_apart THEN p.abstract END AS apart, CASE
    WHEN p.record IS NULL THEN 'new'
    WHEN p.record = row.record THEN 'same'
    WHEN p.load <> $load THEN 'changed'
    WHEN p.record < row.record THEN 'better'
    ELSE 'worse'
  END AS state
FOREACH (_ IN CASE WHEN state = 'same' AND p.load <> $load THEN [1] ELSE [] END |
  SET p.load = $load
)
FOREACH (_ IN CASE WHEN state IN ['new', 'changed', 'better'] THEN [1] ELSE [] END |
  SET p += row.properties, p.record = row.record, p.load = $load
  REMOVE p:Stub
  FOREACH (abstract IN CASE WHEN apart IS NULL THEN [] ELSE [apart] END |
    SET p.abstract = abstract
  )
)
WITH row.id AS id, state,
  state IN ['changed', 'better'] OR EXISTS { (p)-[:CITES|ABOUT]->() } AS known
RETURN state, known, collect(id) AS ids
