// Returns an author with affiliations, co-authors and counts.
//
// parameters:
//   $id STRING: the author
// returns:
//   id STRING: the author
//   name STRING: the name
//   orcid STRING: the ORCID iD, may be null
//   affiliations LIST<STRING>: names of the affiliations
//   papers INTEGER: number of papers
//   citations INTEGER: number of citations of all these papers
//   coauthors LIST<MAP>: id, name and number of common papers of the 20 most frequent co-authors
MATCH (author:Author {id: $id})
RETURN author.id AS id, author.name AS name, author.orcid AS orcid,
       COLLECT {
         MATCH (author)-[:AFFILIATED_WITH]->(place:Affiliation)
         WITH DISTINCT coalesce(place.name, place.id) AS name ORDER BY name
         RETURN name
       } AS affiliations,
       COUNT { (author)-[:WROTE]->(:Paper) } AS papers,
       COUNT { (author)-[:WROTE]->(:Paper)<-[:CITES]-() } AS citations,
       COLLECT {
         MATCH (author)-[:WROTE]->(paper:Paper)<-[:WROTE]-(other:Author)
         WITH other, count(DISTINCT paper) AS papers ORDER BY papers DESC, other.id LIMIT 20
         RETURN other {.id, .name, papers: papers}
       } AS coauthors
