// How large a corpus is: the papers of a source, and what has a prefix.
//
// parameters:
//   $corpus STRING: the source, or the prefix without its colon
//   $source STRING: how a record that is kept as JSON gives the source
// returns:
//   papers INTEGER: papers with records, parts of merged papers among them
//   stubs INTEGER: papers without records
//   readers INTEGER: readers
CALL () {
  MATCH (p:Paper)
  WHERE (p.source = $corpus OR p.id STARTS WITH $corpus + ':') AND NOT EXISTS { (p)<-[:INTO]-() }
  RETURN count(CASE WHEN p.record IS NOT NULL THEN 1 END) AS whole,
    count(CASE WHEN p.record IS NULL THEN 1 END) AS stubs
}
CALL () {
  MATCH (m:Merged)
  WHERE m.record IS NOT NULL AND (
    m.id STARTS WITH $corpus + ':' OR m.told CONTAINS $source OR m.waiting CONTAINS $source
  )
  RETURN count(m) AS parts
}
CALL () {
  MATCH (r:Reader)
  WHERE r.id STARTS WITH $corpus + ':'
  RETURN count(r) AS readers
}
RETURN whole + parts AS papers, stubs, readers
