// Returns contents of papers that are not combined, without incoming citations and readings.
//
// The papers are locked first, so that no load changes them meanwhile.
//
// parameters:
//   $ids LIST<STRING>: papers, in order
// returns:
//   sample_key INTEGER: decides the split of the paper
//   record_version INTEGER: rank and digest of the record; null for a stub
//   load INTEGER: the load that wrote it
//   content MAP: a SourceContent, with the position of each author
UNWIND $ids AS id
MATCH (p:Paper {id: id})
SET p.sample_key = p.sample_key
WITH p,
  COLLECT {
    MATCH (p)-[n:CITES|NAMES]->(q)
    WHERE q:SourceRecord OR NOT EXISTS { (q)<-[:DESCRIBES]-() }
    WITH n, q.id AS cited
    RETURN {
      cited: cited, supplement: n.supplement_rank IS NOT NULL,
      details: {
        intents: coalesce(n.intents, []), influential: n.influential,
        contexts: coalesce(n.contexts, [])
      }
    }
    ORDER BY cited
  } AS citations,
  COLLECT {
    MATCH (p)-[b:ABOUT]->(f:Field)
    RETURN f {.scheme, .id, .name, supplement: b.supplementary IS NOT NULL} ORDER BY f.scheme, f.id
  } AS fields
RETURN p.sample_key AS sample_key, p.record_version AS record_version, p.load AS load, {
  id: p.id,
  abstract: CASE WHEN p.record_version IS NULL OR p.abstract_supplementary THEN p.abstract END,
  citations: [c IN citations WHERE c.supplement],
  labels: [f IN fields WHERE f.supplement],
  parts: CASE
    WHEN coalesce(p.abstract_version, p.references_version) IS NOT NULL
      THEN [p.abstract_version, p.references_version]
  END,
  paper: CASE WHEN p.record_version IS NOT NULL THEN p {
    .id, .title, .abstract, .year, .published, .language, .url, .source, .body, .retracted,
    identifiers: COLLECT {
      MATCH (p)<-[:OF]-(i:Identifier)
      WITH i, [i.scheme, i.value] AS pair
      RETURN i {.scheme, .value}
      ORDER BY pair IN [['doi', p.doi], ['arxiv', p.arxiv_id], ['pmid', p.pubmed_id]] DESC,
        i.scheme, i.value
    },
    authors: COLLECT {
      MATCH (p)<-[w:WROTE]-(a:Author)
      RETURN a {
        .id, .name, .identified, .orcid, position: w.position,
        affiliations: COLLECT {
          UNWIND w.affiliations AS affiliation
          MATCH (f:Affiliation {id: affiliation})
          RETURN f {.id, .name}
        }
      }
      ORDER BY w.position
    },
    venue: head(COLLECT {
      MATCH (p)-[:PUBLISHED_IN]->(v:Venue) RETURN v {.id, .name} ORDER BY v.id
    }),
    fields: [f IN fields WHERE NOT f.supplement],
    references: [c IN citations WHERE NOT c.supplement | c.cited],
    citations: [
      c IN citations WHERE NOT c.supplement AND (c.details.influential IS NOT NULL
        OR c.details.intents <> [] OR c.details.contexts <> [])
      | {
        citing: p.id, cited: c.cited, intents: c.details.intents,
        influential: c.details.influential, contexts: c.details.contexts
      }
    ]
  } END
} AS content
