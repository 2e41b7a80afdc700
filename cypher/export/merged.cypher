// Ids under which merged papers were told, with what was told: of some papers, or all.
//
// parameters:
//   $ids LIST<STRING>: the papers; null for all
// returns:
//   id STRING: the id
//   paper STRING: the paper that it means
//   labels LIST<STRING>: beside Merged, such as Waiting
//   draw INTEGER: the draw of the id
//   record INTEGER: the rank and digest of its record; null if it has none
//   load INTEGER: the load that wrote the record
//   told STRING: what the sources tell under this id, as JSON
//   waiting STRING: a newer record, as JSON; may be null
//   items LIST<STRING>: what else waits to be written, as JSON; may be null
CALL () {
  UNWIND CASE WHEN $ids IS NULL THEN [1] ELSE [] END AS everything
  MATCH (merged:Merged)
  RETURN merged
  UNION ALL
  UNWIND $ids AS id
  MATCH (merged:Merged)-[:INTO]->(:Paper {id: id})
  RETURN DISTINCT merged
}
MATCH (merged)-[:INTO]->(paper:Paper)
RETURN merged.id AS id, paper.id AS paper,
  [label IN labels(merged) WHERE label <> 'Merged'] AS labels,
  merged.draw AS draw, merged.record AS record, merged.load AS load, merged.told AS told,
  merged.waiting AS waiting, merged.items AS items
