// Makes the version of a migration unique, which `lock` requires.
CREATE CONSTRAINT schema_version IF NOT EXISTS FOR (s:Schema) REQUIRE s.version IS UNIQUE
