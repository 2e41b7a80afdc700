// Counts the papers of a source, and papers and readers with a prefix.
//
// parameters:
//   $corpus STRING: the source, or the prefix without its colon
//   $source STRING: the source as it appears in records stored as JSON
// returns:
//   papers INTEGER: papers with records, also as SourceRecords
//   stubs INTEGER: papers without records
//   readers INTEGER: readers
CALL () {
  MATCH (p:Paper)
  WHERE (p.source = $corpus OR p.id STARTS WITH $corpus + ':') AND NOT EXISTS { (p)<-[:DESCRIBES]-() }
  RETURN count(CASE WHEN p.record_version IS NOT NULL THEN 1 END) AS whole,
    count(CASE WHEN p.record_version IS NULL THEN 1 END) AS stubs
}
CALL () {
  MATCH (m:SourceRecord)
  WHERE m.record_version IS NOT NULL AND (
    m.id STARTS WITH $corpus + ':' OR m.json CONTAINS $source OR m.pending_record CONTAINS $source
  )
  RETURN count(m) AS parts
}
CALL () {
  MATCH (r:Reader)
  WHERE r.id STARTS WITH $corpus + ':'
  RETURN count(r) AS readers
}
RETURN whole + parts AS papers, stubs, readers
