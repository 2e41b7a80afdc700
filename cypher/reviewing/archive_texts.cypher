// Returns the texts of papers of reviewers' archives that models read, by id.
//
// parameters:
//   $ids LIST<STRING>: the papers
//   $parts LIST<STRING>: the parts to return in addition to title and abstract
// returns:
//   id STRING: the paper
//   title STRING: its title, may be empty
//   abstract STRING: its abstract, may be null
//   venue STRING: the name of its venue, may be null
//   authors LIST<STRING>: names of the authors, in order
UNWIND $ids AS id
MATCH (paper:ArchivePaper {id: id})
RETURN paper.id AS id, paper.title AS title, paper.abstract AS abstract,
  CASE WHEN 'venue' IN $parts THEN paper.venue END AS venue,
  COLLECT {
    MATCH (paper)<-[by:WROTE_ARCHIVED]-(author:Author) WHERE 'authors' IN $parts
    RETURN author.name ORDER BY by.position, author.id
  } AS authors
ORDER BY id
