// Fields whose id or name is a text, in upper or lower case, or else holds it.
//
// parameters:
//   $name STRING: the text
//   $limit INTEGER: at most so many
// returns:
//   scheme STRING: a field
//   id STRING: its id
//   name STRING: its name; null where no record has told it
//   exact BOOLEAN: whether the id or the name is the text; these come first
MATCH (field:Field)
WHERE toLower(field.id) CONTAINS toLower($name) OR toLower(field.name) CONTAINS toLower($name)
WITH field, toLower($name) IN [toLower(field.id), toLower(field.name)] AS exact
RETURN field.scheme AS scheme, field.id AS id, field.name AS name, exact
ORDER BY exact DESC, scheme, id
LIMIT $limit
