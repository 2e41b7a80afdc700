-- Counts the items of each kind, and how many of them differ.
SELECT count(*), (SELECT count(*) FROM record) FROM papers
UNION ALL SELECT count(*), count(DISTINCT (citing, cited)) FROM citations
UNION ALL SELECT count(*), count(DISTINCT id) FROM abstracts
UNION ALL SELECT count(*), count(*) FROM labeled
UNION ALL SELECT count(*), count(DISTINCT (scheme, id)) FROM vocabulary
UNION ALL SELECT count(*), (SELECT count(*) FROM reading) FROM readings;
