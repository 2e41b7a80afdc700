// Labels papers of a reading list in a screening, or removes their labels.
//
// parameters:
//   $name STRING: the list
//   $labels LIST<MAP>: id of a paper, included BOOLEAN? (null removes the label), at STRING? (time,
//     ISO 8601; by default now), in the order of screening
UNWIND range(0, size($labels) - 1) AS place
WITH place, $labels[place] AS row
MATCH (paper:Paper {id: row.id})
USING INDEX paper:Paper(id)
MATCH (paper)<-[:DESCRIBES]-{0,1}()<-[e:LISTS]-(:ReadingList {name: $name})
SET e.included = row.included,
  e.labeled = CASE
    WHEN row.included IS NOT NULL
    THEN coalesce(datetime(row.at), datetime() + duration({microseconds: place}))
  END
