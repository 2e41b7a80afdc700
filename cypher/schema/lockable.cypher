// Make sure that no two nodes can be recorded as one migration: `lock` needs it before the first.
CREATE CONSTRAINT schema_version IF NOT EXISTS FOR (s:Schema) REQUIRE s.version IS UNIQUE
