// Returns the authors for ids of people.
//
// An id in a curated list is replaced by the author that the list keeps.
//
// parameters:
//   $people LIST<MAP>: given, ids LIST<MAP> of id and rank, orcid (may be null)
// returns:
//   given STRING: the given id
//   rank INTEGER: the rank of the id that exists; 1 for an ORCID
//   author STRING: the id of the author
UNWIND $people AS row
CALL (row) {
  UNWIND row.ids AS name
  MATCH (a:Author {id: name.id})
  WHERE NOT EXISTS { (:MergedAuthor {id: name.id}) }
  RETURN name.rank AS rank, a.id AS author
  UNION
  WITH row
  UNWIND row.ids AS name
  MATCH (m:MergedAuthor {id: name.id})
  MATCH (a:Author {id: m.author})
  RETURN name.rank AS rank, a.id AS author
  UNION
  WITH row
  MATCH (a:Author {orcid: row.orcid})
  RETURN 1 AS rank, a.id AS author
}
RETURN row.given AS given, rank, author
ORDER BY given, rank, author
