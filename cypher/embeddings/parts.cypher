// A fragment: the parts of a `paper` that the statements of this folder return.
//
// parameters:
//   $parts LIST<STRING>: the parts in addition to title and abstract
//   $max_references INTEGER: maximum number of references
//   $max_characters INTEGER: maximum characters of the full text
//   $held_out INTEGER: papers with a smaller sample key are held out
RETURN paper.id AS id, paper.title AS title, paper.abstract AS abstract,
  head(COLLECT {
    MATCH (paper)-[:PUBLISHED_IN]->(venue:Venue) WHERE 'venue' IN $parts
    RETURN venue.name ORDER BY venue.id
  }) AS venue,
  COLLECT {
    MATCH (paper)<-[wrote:WROTE]-(author:Author) WHERE 'authors' IN $parts
    RETURN author.name ORDER BY wrote.position, author.id
  } AS authors,
  COLLECT {
    MATCH (paper)-[:CITES]->(cited:Paper&!Stub)
    WHERE 'references' IN $parts AND paper.sample_key >= $held_out AND cited.sample_key >= $held_out
    RETURN cited.title ORDER BY {{sample order of cited}} LIMIT $max_references
  } AS references,
  CASE WHEN 'body' IN $parts THEN left(paper.body, $max_characters) END AS body
