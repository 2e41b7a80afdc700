// Sets the sample keys of papers and of their source records.
//
// parameters:
//   $rows LIST<MAP>: id, sample_key, and records, a list of maps with id and sample_key
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper.sample_key = row.sample_key
WITH row
UNWIND row.records AS each
MATCH (record:SourceRecord {id: each.id})
SET record.sample_key = each.sample_key
