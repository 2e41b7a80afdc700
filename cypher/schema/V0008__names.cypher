// What finds venues and fields by name or id, whatever the case of the letters, and names like one.
CREATE FULLTEXT INDEX fulltext_venues IF NOT EXISTS FOR (v:Venue) ON EACH [v.name, v.id]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
CREATE FULLTEXT INDEX fulltext_fields IF NOT EXISTS FOR (f:Field) ON EACH [f.name, f.id]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
