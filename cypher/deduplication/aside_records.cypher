// Lay records of merged papers beside them: the next merge writes them.
//
// The states are those of loading/papers.
//
// parameters:
//   $papers LIST<MAP>: id, draw, record, paper (the record as JSON); in the order of the ids
//   $load INTEGER: names this load
// returns:
//   id STRING: a paper
//   state STRING: new; changed; better, than this load's own record before; worse than that; same
UNWIND $papers AS row
MATCH (m:Merged {id: row.id})
SET m.draw = row.draw
WITH m, row, CASE
    WHEN m.record IS NULL THEN 'new'
    WHEN m.record = row.record AND coalesce(m.waiting = row.paper, true) THEN 'same'
    WHEN m.load <> $load THEN 'changed'
    WHEN m.record <= row.record THEN 'better'
    ELSE 'worse'
  END AS state
FOREACH (_ IN CASE WHEN state = 'same' AND m.load <> $load THEN [1] ELSE [] END |
  SET m.load = $load
)
FOREACH (_ IN CASE WHEN state IN ['new', 'changed', 'better'] THEN [1] ELSE [] END |
  SET m:Waiting, m.waiting = row.paper, m.record = row.record, m.load = $load
)
RETURN m.id AS id, state
