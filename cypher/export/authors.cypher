// Returns the authors of some papers, or all authors, with their affiliations.
//
// parameters:
//   $ids LIST<STRING>: the papers; null for all authors
// returns:
//   id STRING: the author
//   name STRING: the name
//   identified BOOLEAN: false if the source gives only a name
//   orcid STRING: may be null
//   affiliations LIST<LIST<ANY>>: (id, first year, last year), in order
CALL () {
  UNWIND CASE WHEN $ids IS NULL THEN [1] ELSE [] END AS everything
  MATCH (author:Author)
  RETURN author
  UNION ALL
  UNWIND $ids AS id
  MATCH (:Paper {id: id})<-[:WROTE]-(author:Author)
  RETURN DISTINCT author
}
RETURN author.id AS id, author.name AS name, author.identified AS identified,
  author.orcid AS orcid,
  COLLECT {
    MATCH (author)-[at:AFFILIATED_WITH]->(affiliation:Affiliation)
    RETURN [affiliation.id, at.first, at.last] ORDER BY affiliation.id
  } AS affiliations
