// Writes the records of papers that do not have the same record already.
//
// A paper is `loaded` at the time of its first record, which later records do not change.
//
// Setting `sample_key` first locks the paper, so that it is new for only one of two concurrent
// transactions; a merged paper keeps the smallest sample key of its records. Within one load the
// record of highest rank is written; a later load replaces it. Properties that the record lacks
// are removed, except a supplementary abstract.
//
// By the same rule, the abstract and the references are taken from the best records that have
// them. If that is another record than the paper's, its rank is stored separately. The rank 0
// means that no record of the paper's load has the part; what an earlier load wrote remains.
//
// parameters:
//   $papers LIST<MAP>: id, sample_key, record_version (rank and digest of the record), properties,
//     abstract, and abstract_version and references_version if they differ from record_version
//   $load INTEGER: identifies this load
// returns:
//   state STRING: new, changed, better or worse (than this load's record before), or same
//   cites BOOLEAN: true if the references must be written
//   known BOOLEAN: true if the papers may have relationships
//   ids LIST<STRING>: the papers with these values (a row per paper would take twice the time)
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
  SET p += row.properties, p.record_version = row.record_version,
    p.loaded = CASE state WHEN 'new' THEN coalesce(p.loaded, datetime()) ELSE p.loaded END
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
