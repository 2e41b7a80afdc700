// The texts of a reviewer's papers that a scoring compares, as hashes.
//
// A fragment, which other statements include: `v` is the venue and `r` the reviewer. The first row
// is empty, so that a reviewer without papers has a list too.
//
// returns:
//   hash STRING: the hash of a text in one of the spaces of the last scoring, in order
RETURN '' AS hash
UNION ALL
CALL (r) {
  {{include reviewing/papers_of_reviewer}}
}
UNWIND v.scored_spaces AS space
RETURN coalesce(p[space + '_hash'], '') AS hash
ORDER BY hash
