// The keys of all node types, and what is looked up by range.
//
// Applied once and recorded as (:Schema {version: 1}). Two processes may run it at once, so every
// statement leaves alone what is there.
CREATE CONSTRAINT schema_version IF NOT EXISTS FOR (s:Schema) REQUIRE s.version IS UNIQUE;
CREATE CONSTRAINT paper_id IF NOT EXISTS FOR (p:Paper) REQUIRE p.id IS UNIQUE;
CREATE CONSTRAINT author_id IF NOT EXISTS FOR (a:Author) REQUIRE a.id IS UNIQUE;
CREATE CONSTRAINT affiliation_id IF NOT EXISTS FOR (a:Affiliation) REQUIRE a.id IS UNIQUE;
CREATE CONSTRAINT venue_id IF NOT EXISTS FOR (v:Venue) REQUIRE v.id IS UNIQUE;
CREATE CONSTRAINT field_scheme_id IF NOT EXISTS FOR (f:Field) REQUIRE (f.scheme, f.id) IS UNIQUE;
CREATE CONSTRAINT reader_id IF NOT EXISTS FOR (r:Reader) REQUIRE r.id IS UNIQUE;
CREATE CONSTRAINT submission_id IF NOT EXISTS FOR (s:Submission) REQUIRE s.id IS UNIQUE;
CREATE CONSTRAINT topic_id IF NOT EXISTS FOR (t:Topic) REQUIRE t.id IS UNIQUE;
CREATE CONSTRAINT identifier_scheme_value IF NOT EXISTS
  FOR (i:Identifier) REQUIRE (i.scheme, i.value) IS UNIQUE;
CREATE CONSTRAINT embedding_space_property IF NOT EXISTS
  FOR (s:EmbeddingSpace) REQUIRE s.property IS UNIQUE;
CREATE INDEX paper_year IF NOT EXISTS FOR (p:Paper) ON (p.year);
