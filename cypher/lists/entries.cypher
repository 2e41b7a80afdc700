// Returns the papers of a reading list in the order in which they were added.
//
// An entry of a merged paper is the paper; of two entries that became one paper, the first remains.
// If one of them has the label yes, so has the paper.
//
// parameters:
//   $name STRING: the list
// returns:
//   id STRING: the paper
//   key STRING?: the citation key that was given
//   former STRING?: the id with which the paper was added, if it has another one now
//   title STRING?: null for a stub
//   year INTEGER?: the year
//   authors LIST<STRING>: names, in order
//   note STRING?: the note
//   tags LIST<STRING>: the tags
//   added STRING: time, ISO 8601
//   included BOOLEAN?: the label of a screening
//   labeled STRING?: time of the label, ISO 8601
MATCH (:ReadingList {name: $name})-[e:LISTS]->(named)
MATCH (named)-[:DESCRIBES]->{0,1}(paper:Paper)
WITH paper, e, named ORDER BY e.added, e.place
WITH paper, collect(e) AS entries, collect(named.id) AS ids
WITH paper, entries[0] AS e,
  reduce(all = [], each IN entries |
    all + [tag IN each.tags WHERE NOT tag IN all]) AS tags,
  head([each IN entries WHERE each.note IS NOT NULL | each.note]) AS note,
  head([each IN entries WHERE each.key IS NOT NULL | each.key]) AS key,
  head([each IN entries WHERE each.included] + [each IN entries WHERE each.labeled IS NOT NULL])
    AS label,
  head([id IN ids WHERE id <> paper.id]) AS former
RETURN paper.id AS id, key, former, paper.title AS title, paper.year AS year,
  COLLECT {
    MATCH (paper)<-[wrote:WROTE]-(author:Author)
    RETURN author.name ORDER BY wrote.position, author.id
  } AS authors,
  note, tags, toString(e.added) AS added,
  label.included AS included, toString(label.labeled) AS labeled
ORDER BY e.added, e.place
