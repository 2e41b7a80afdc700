// Returns authors of the graph that a curated list replaces by others.
//
// returns:
//   id STRING: the author
//   author STRING: the id that is kept
MATCH (m:MergedAuthor)
WHERE m.id <> m.author
MATCH (a:Author {id: m.id})
WHERE NOT EXISTS { (a)--() } OR EXISTS {
  (a)-[:WROTE|AFFILIATED_WITH|REVIEWS_FOR|SUBMITTED|BID|DECLARED_CONFLICT|ASSIGNED
    |WROTE_ARCHIVED]->()
}
RETURN m.id AS id, m.author AS author
ORDER BY author, id
