// Returns, for each query paper, the papers that readers viewed, or saved, together with it.
//
// Training papers are eligible: they have a record and are not held out. Together means by the
// same reader, and in the same session if the readings have one (SPECTER, section 3.3). Readers with
// more than $links readings are omitted, and at most $links readers of the query are followed, in
// the order of their reversed ids, so that the sample of numbered readers is even. If papers are held
// out, the last reading of each reader is held out too: the newest, or without times that of the
// paper with the largest sample key.
//
// {{kind}} is VIEWED or SAVED.
//
// parameters:
//   $ids LIST<STRING>: ids of the query papers
//   $links INTEGER: maximum number of links, see above
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   id STRING: id of the query paper; the rows are in the order of $ids
//   sample_key INTEGER: its sample key
//   papers LIST<STRING>: ids of the papers, in order
//   sample_keys LIST<INTEGER>: their sample keys
//   counts LIST<INTEGER>: numbers of readings together with the query
//   linked LIST<STRING>: ids of the training papers that the query cites, or that cite it
UNWIND $ids AS id
MATCH (query:Paper {id: id})
CALL (query) {
  MATCH (query)<-[one:{{kind}}]-(reader:Reader)
  WHERE COUNT { (reader)-[:{{kind}}]->() } <= $links
  WITH DISTINCT query, reader, coalesce(one.session, '') AS session
  ORDER BY reverse(reader.id), session
  LIMIT $links
  WITH query, reader, session, CASE WHEN $held_out > 0 THEN COLLECT {
    MATCH (reader)-[reading:{{kind}}]->(read:Paper&!Stub)
    RETURN read
    ORDER BY coalesce(reading.at, '') DESC, read.sample_key DESC, read.id DESC
    LIMIT 1
  } ELSE [] END AS last
  WHERE NOT query IN last
  MATCH (reader)-[other:{{kind}}]->(paper:Paper)
  WHERE coalesce(other.session, '') = session
    AND paper <> query AND NOT paper IN last AND NOT paper:Stub AND paper.sample_key >= $held_out
  WITH DISTINCT paper, reader, session
  WITH paper, count(*) AS times
  ORDER BY paper.id
  RETURN collect(paper.id) AS papers, collect(paper.sample_key) AS sample_keys, collect(times) AS counts
}
RETURN query.id AS id, query.sample_key AS sample_key, papers, sample_keys, counts, COLLECT {
  MATCH (query)-[:CITES]-(linked)
  WHERE NOT linked:Stub AND linked.sample_key >= $held_out AND linked <> query
  RETURN DISTINCT linked.id
} AS linked
