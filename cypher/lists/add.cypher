// Adds papers to a reading list; a note or key that is given replaces the older one.
//
// Setting `name` first locks the list, so that two changes of one list at the same time cannot
// deadlock, and add a paper only once.
//
// parameters:
//   $name STRING: the list
//   $entries LIST<MAP>: id (of a paper or of a record that was merged into one), key STRING?
//   $note STRING?: a note on each of the papers; an empty one removes the older note
//   $tags LIST<STRING>: further tags of each of the papers
// returns:
//   added INTEGER: number of papers that were not in the list
MATCH (l:ReadingList {name: $name})
SET l.name = l.name
WITH l
UNWIND range(0, size($entries) - 1) AS place
WITH l, place, $entries[place] AS entry
OPTIONAL MATCH (own:Paper {id: entry.id})
OPTIONAL MATCH (record:SourceRecord {id: entry.id})-[:DESCRIBES]->(:Paper)
WITH l, place, entry, coalesce(own, record) AS named
WITH l, place, entry, named, EXISTS {
  MATCH (l)-[:LISTS]->()-[:DESCRIBES]->{0,1}(paper:Paper)
  WHERE paper = named OR (named)-[:DESCRIBES]->(paper)
} AS known
CALL (l, place, entry, named, known) {
  WITH * WHERE NOT known
  MERGE (l)-[e:LISTS]->(named)
    ON CREATE SET e.added = datetime(), e.place = place, e.tags = []
  RETURN e
  UNION
  WITH * WHERE known
  MATCH (l)-[e:LISTS]->(there)
  WHERE there = named
    OR EXISTS { (there)-[:DESCRIBES]->(named) } OR EXISTS { (named)-[:DESCRIBES]->(there) }
    OR EXISTS { (there)-[:DESCRIBES]->(:Paper)<-[:DESCRIBES]-(named) }
  RETURN e
}
SET e.note = CASE WHEN $note IS NULL THEN e.note WHEN $note <> '' THEN $note END,
  e.key = coalesce(entry.key, e.key),
  e.tags = e.tags + [tag IN $tags WHERE NOT tag IN e.tags]
RETURN count(CASE WHEN NOT known THEN 1 END) AS added
