// Returns papers with their data.
//
// parameters:
//   $ids LIST<STRING>: the papers
//   $properties LIST<STRING>: names of properties
// returns:
//   id STRING: the paper, in the order of $ids
//   key STRING?: the citation key of a merged paper: the id of its record from BibTeX
//   labels LIST<STRING>: labels except Paper, such as Stub
//   values LIST<ANY>: the values of these properties
//   authors LIST<MAP>: id, name, position, affiliations LIST<STRING>?; in their order
//   venues LIST<MAP>: id, name
//   fields LIST<MAP>: scheme, id, name, supplementary; in order
//   identifiers LIST<LIST<STRING>>: (scheme, value), in order
//   citations LIST<MAP>: cited (an id), intents, influential, contexts, supplement_rank;
//     in order
UNWIND range(0, size($ids) - 1) AS place
MATCH (paper:Paper {id: $ids[place]})
RETURN paper.id AS id,
  head(COLLECT {
    MATCH (paper)<-[:DESCRIBES]-(record:SourceRecord)
    WHERE record.json CONTAINS '"source":"bibtex"'
    RETURN record.id ORDER BY record.id LIMIT 1
  }) AS key,
  [label IN labels(paper) WHERE label <> 'Paper'] AS labels,
  [name IN $properties | paper[name]] AS values,
  COLLECT {
    MATCH (paper)<-[wrote:WROTE]-(author:Author)
    RETURN {
      id: author.id, name: author.name,
      position: wrote.position, affiliations: wrote.affiliations
    }
    ORDER BY wrote.position, author.id
  } AS authors,
  COLLECT {
    MATCH (paper)-[:PUBLISHED_IN]->(venue:Venue)
    RETURN {id: venue.id, name: venue.name} ORDER BY venue.id
  } AS venues,
  COLLECT {
    MATCH (paper)-[about:ABOUT]->(field:Field)
    RETURN {scheme: field.scheme, id: field.id, name: field.name, supplementary: about.supplementary}
    ORDER BY field.scheme, field.id
  } AS fields,
  COLLECT {
    MATCH (paper)<-[:OF]-(identifier:Identifier)
    RETURN [identifier.scheme, identifier.value] ORDER BY identifier.scheme, identifier.value
  } AS identifiers,
  COLLECT {
    MATCH (paper)-[cites:CITES]->(cited:Paper)
    RETURN {
      cited: cited.id, intents: cites.intents, influential: cites.influential,
      contexts: cites.contexts, supplement_rank: cites.supplement_rank
    }
    ORDER BY cited.id
  } AS citations
ORDER BY place
