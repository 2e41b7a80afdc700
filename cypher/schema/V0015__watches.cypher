// Watches have different names.
CREATE CONSTRAINT watch_name IF NOT EXISTS FOR (w:Watch) REQUIRE w.name IS UNIQUE;
