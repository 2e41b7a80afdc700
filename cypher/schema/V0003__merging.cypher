// What remembers which papers and which authors have been made one, and by which rules.
CREATE CONSTRAINT merged_id IF NOT EXISTS FOR (m:Merged) REQUIRE m.id IS UNIQUE;
CREATE CONSTRAINT merged_author_id IF NOT EXISTS FOR (m:MergedAuthor) REQUIRE m.id IS UNIQUE;
CREATE CONSTRAINT merge_rules_name IF NOT EXISTS FOR (r:MergeRules) REQUIRE r.name IS UNIQUE;
