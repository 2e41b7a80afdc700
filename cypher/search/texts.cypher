// Returns the beginnings of the texts of all papers that pass the filters.
//
// parameters:
//   $letters INTEGER: how much of a text
//   $enough INTEGER: the abstract only comes where the title is shorter
// returns:
//   texts LIST<LIST<STRING>>: the beginnings of title and abstract; null where there is none
{{start}}
WHERE {{others}}
RETURN collect([
  left(near.title, $letters),
  CASE WHEN size(near.title) >= $enough THEN null ELSE left(near.abstract, $letters) END
]) AS texts
