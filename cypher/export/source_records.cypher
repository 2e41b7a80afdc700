// Returns the SourceRecords of some papers, or all SourceRecords.
//
// parameters:
//   $ids LIST<STRING>: the papers; null for all
// returns:
//   id STRING: the id
//   paper STRING: the paper that it describes
//   labels LIST<STRING>: labels except SourceRecord: Pending
//   sample_key INTEGER: the sample key of the id
//   record_version INTEGER: the rank and digest of its latest record; null for a stub
//   load INTEGER: the load that wrote the record
//   json STRING: the content of the graph under this id before it was combined with others
//   pending_record STRING: a later record, as JSON; may be null
//   pending_items LIST<STRING>: later supplements, as JSON; may be null
//   citations LIST<MAP>: citing (an id; of the papers), intents, influential, contexts,
//     supplement_rank; in order
CALL () {
  UNWIND CASE WHEN $ids IS NULL THEN [1] ELSE [] END AS everything
  MATCH (record:SourceRecord)
  RETURN record
  UNION ALL
  UNWIND $ids AS id
  MATCH (record:SourceRecord)-[:DESCRIBES]->(:Paper {id: id})
  RETURN DISTINCT record
}
MATCH (record)-[:DESCRIBES]->(paper:Paper)
RETURN record.id AS id, paper.id AS paper,
  [label IN labels(record) WHERE label <> 'SourceRecord'] AS labels,
  record.sample_key AS sample_key, record.record_version AS record_version,
  record.load AS load, record.json AS json,
  record.pending_record AS pending_record, record.pending_items AS pending_items,
  COLLECT {
    MATCH (record)<-[names:NAMES]-(citing:Paper)
    WHERE $ids IS NULL OR citing.id IN $ids
    RETURN {
      citing: citing.id, intents: names.intents, influential: names.influential,
      contexts: names.contexts, supplement_rank: names.supplement_rank
    }
    ORDER BY citing.id
  } AS citations
