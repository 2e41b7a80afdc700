// All that the graph says of papers, but for vectors and for who cites and who reads them.
//
// The papers are locked first, so that no load changes them before they are merged.
//
// parameters:
//   $ids LIST<STRING>: papers, in order
// returns:
//   id STRING: the paper
//   record INTEGER: the rank and digest of its record; null for a stub
//   load INTEGER: the load that wrote it
//   parts LIST<INTEGER>: abstract_record and references_record of the paper; null if it has neither
//   properties MAP: those that records give
//   abstract_apart BOOLEAN: its abstract was told apart from its record; else null
//   authors LIST<MAP>: id, name, identified, orcid, position, affiliations LIST<LIST<STRING>>
//   venues LIST<LIST<STRING>>: (id, name)
//   fields LIST<MAP>: scheme, id, name, apart
//   identifiers LIST<LIST<STRING>>: (scheme, value)
//   citations LIST<MAP>: id of the cited paper, properties MAP
UNWIND $ids AS id
MATCH (p:Paper {id: id})
SET p.draw = p.draw
RETURN p.id AS id, p.record AS record, p.load AS load,
  CASE
    WHEN coalesce(p.abstract_record, p.references_record) IS NOT NULL
      THEN [p.abstract_record, p.references_record]
  END AS parts,
  p {.title, .abstract, .year, .published, .language, .url, .source, .body, .retracted,
     .doi, .arxiv_id, .pubmed_id} AS properties,
  p.abstract_apart AS abstract_apart,
  COLLECT {
    MATCH (p)<-[w:WROTE]-(a:Author)
    RETURN {
      id: a.id, name: a.name, identified: a.identified, orcid: a.orcid, position: w.position,
      affiliations: COLLECT {
        UNWIND w.affiliations AS affiliation
        MATCH (f:Affiliation {id: affiliation})
        RETURN [f.id, f.name]
      }
    }
  } AS authors,
  COLLECT { MATCH (p)-[:PUBLISHED_IN]->(v:Venue) RETURN [v.id, v.name] } AS venues,
  COLLECT {
    MATCH (p)-[b:ABOUT]->(f:Field)
    RETURN {scheme: f.scheme, id: f.id, name: f.name, apart: b.apart}
  } AS fields,
  COLLECT { MATCH (i:Identifier)-[:OF]->(p) RETURN [i.scheme, i.value] } AS identifiers,
  COLLECT { MATCH (p)-[c:CITES]->(q) RETURN {id: q.id, properties: properties(c)} } AS citations
