// Returns fields whose id or name equals a text, ignoring case, or else contains it.
//
// parameters:
//   $name STRING: the text
//   $limit INTEGER: maximum number of fields
// returns:
//   scheme STRING: a field
//   id STRING: its id
//   name STRING: its name; null if no record gave it
//   exact BOOLEAN: true if the id or the name is the text; these come first
MATCH (field:Field)
WHERE toLower(field.id) CONTAINS toLower($name) OR toLower(field.name) CONTAINS toLower($name)
WITH field, toLower($name) IN [toLower(field.id), toLower(field.name)] AS exact
RETURN field.scheme AS scheme, field.id AS id, field.name AS name, exact
ORDER BY exact DESC, scheme, id
LIMIT $limit
