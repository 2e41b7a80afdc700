// What remembers which files an unfinished load has done.
CREATE CONSTRAINT load_key IF NOT EXISTS FOR (l:Load) REQUIRE l.key IS UNIQUE;
CREATE CONSTRAINT loaded_part IF NOT EXISTS
  FOR (p:LoadedPart) REQUIRE (p.load, p.key) IS UNIQUE;
