// Write the records of papers; leave alone those that carry the same record already.
//
// Setting `sample_key` first locks the paper, so that two processes that load the same record do not
// both take it for new; a merged paper keeps the smallest sample key of its records. Within one load the
// record of greater rank stays; a later load replaces. A property that the record lacks is
// removed, except an abstract that came in a record of its own.
//
// An abstract and references are taken, by the same rule, from the records that have them. The rank
// of such a record stands beside that of the paper's own where it is another; 0: no record of the
// load of the paper has the part, and what an earlier load wrote stays.
//
// parameters:
//   $papers LIST<MAP>: id, sample_key, record_version (the rank and digest of all that it says), properties,
//     abstract, and abstract_version and references_version where they are not `record`
//   $load INTEGER: names this load
// returns:
//   state STRING: new; changed; better, than this load's own record before; worse than that; same
//   cites BOOLEAN: their references are to be written
//   known BOOLEAN: relationships of them may be there
//   ids LIST<STRING>: the papers of which this is so (a row for each would take twice the time)
UNWIND $papers AS row
MERGE (p:Paper {id: row.id})
SET p.sample_key = coalesce(p.sample_key, row.sample_key)
WITH p, row, coalesce(p.load = $load, false) AS again,
  coalesce(p.abstract_version, p.record_version, -1) AS abstract,
  coalesce(p.references_version, p.record_version, -1) AS references,
  coalesce(row.abstract_version, row.record_version) AS new_abstract,
  coalesce(row.references_version, row.record_version) AS new_references
WITH p, row, again, abstract, references, new_abstract, new_references,
  new_abstract > 0
    AND (abstract < new_abstract OR NOT again AND abstract > new_abstract) AS takes_abstract,
  new_references > 0
    AND (references < new_references OR NOT again AND references > new_references) AS cites
WITH p, row, again, takes_abstract, cites,
  CASE
    WHEN takes_abstract THEN new_abstract
    WHEN again OR abstract = new_abstract THEN abstract
    ELSE 0
  END AS abstract,
  CASE
    WHEN cites THEN new_references
    WHEN again OR references = new_references THEN references
    ELSE 0
  END AS references,
  CASE
    WHEN p.record_version IS NULL THEN 'new'
    WHEN p.record_version = row.record_version AND NOT takes_abstract AND NOT cites THEN 'same'
    WHEN NOT again THEN 'changed'
    WHEN p.record_version < row.record_version THEN 'better'
    ELSE 'worse'
  END AS state
FOREACH (_ IN CASE WHEN state IN ['new', 'changed', 'better'] THEN [1] ELSE [] END |
  SET p += row.properties, p.record_version = row.record_version
  REMOVE p:Stub
)
FOREACH (_ IN CASE WHEN takes_abstract AND p.abstract_supplementary IS NULL THEN [1] ELSE [] END |
  SET p.abstract = row.abstract
)
FOREACH (
  _ IN CASE WHEN NOT again OR state = 'better' OR takes_abstract OR cites THEN [1] ELSE [] END |
  SET p.load = $load, p.abstract_version = nullIf(abstract, p.record_version),
    p.references_version = nullIf(references, p.record_version)
)
WITH row.id AS id, state, cites,
  state IN ['changed', 'better', 'worse'] OR EXISTS { (p)-[:CITES|ABOUT]->() } AS known
RETURN state, cites, known, collect(id) AS ids
