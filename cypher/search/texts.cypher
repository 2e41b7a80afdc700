// Returns the beginnings of the texts of all papers that pass the filters.
//
// parameters:
//   $letters INTEGER: maximum characters of a text
//   $enough INTEGER: the abstract is returned only if the title has fewer characters
// returns:
//   texts LIST<LIST<STRING>>: the beginnings of title and abstract; null if missing
{{start}}
WHERE {{others}}
RETURN collect([
  left(near.title, $letters),
  CASE WHEN size(near.title) >= $enough THEN null ELSE left(near.abstract, $letters) END
]) AS texts
