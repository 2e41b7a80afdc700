-- Resolves the tables of all shards (see columns.py) to one graph whose nodes have numbers.
--
-- The variable `nodes` is the number of nodes that have a number so far.

-- The record of highest rank of each paper, in the order of reading; these papers are the first
-- nodes. Abstracts and references come from the best records that have them. If that is another
-- record, its rank is stored, or 0 if no record has the part.
CREATE TABLE record AS
SELECT row, row_number() OVER (ORDER BY row) - 1 AS node, abstract_row, references_row,
  nullif(coalesce(with_abstract, 0), best) AS abstract_version,
  nullif(coalesce(with_references, 0), best) AS references_version
FROM (
  SELECT arg_max(row, record_version) AS row, max(record_version) AS best,
    arg_max(row, record_version) FILTER (WHERE has_abstract) AS abstract_row,
    max(record_version) FILTER (WHERE has_abstract) AS with_abstract,
    arg_max(row, record_version) FILTER (WHERE has_references) AS references_row,
    max(record_version) FILTER (WHERE has_references) AS with_references
  FROM papers
  GROUP BY id
);

-- Abstracts of other records.
CREATE VIEW abstract_of_other AS
SELECT record.row, papers.abstract AS other
FROM record JOIN papers ON papers.row = record.abstract_row
WHERE record.abstract_row <> record.row;

CREATE VIEW reference AS
SELECT papers.row, record.node, unnest(papers."references") AS cited
FROM papers JOIN record ON papers.row = record.references_row;

CREATE TABLE paper AS
SELECT id, node FROM papers JOIN record USING (row);

SET VARIABLE nodes = (SELECT count(*) FROM record);

CREATE TABLE stub AS
SELECT id, getvariable('nodes') + row_number() OVER () - 1 AS node
FROM (
  SELECT DISTINCT id
  FROM (
    SELECT cited AS id FROM reference
    UNION ALL SELECT citing FROM citations
    UNION ALL SELECT cited FROM citations
    UNION ALL SELECT id FROM abstracts
    UNION ALL SELECT id FROM labeled
    UNION ALL SELECT paper FROM readings
  ) ANTI JOIN paper USING (id)
)
WHERE NOT getvariable('drop_dangling');

INSERT INTO paper SELECT id, node FROM stub;

SET VARIABLE nodes = getvariable('nodes') + (SELECT count(*) FROM stub);

CREATE TABLE wrote AS
SELECT row, node AS paper, id, name, identified, orcid, position
FROM (
  SELECT row, node, unnest(author_ids) AS id, unnest(author_names) AS name,
    unnest(author_identified) AS identified, unnest(author_orcids) AS orcid,
    generate_subscripts(author_ids, 1) AS position
  FROM papers JOIN record USING (row)
)
WHERE id IS NOT NULL;

CREATE TABLE author AS
SELECT id, max(name) AS name, bool_or(identified) AS identified, max(orcid) AS orcid,
  getvariable('nodes') + row_number() OVER () - 1 AS node
FROM (
  SELECT id, name, identified, orcid FROM wrote
  UNION ALL
  SELECT id, name, identified, orcid FROM authors_again SEMI JOIN record USING (row)
)
GROUP BY id;

SET VARIABLE nodes = getvariable('nodes') + (SELECT count(*) FROM author);

CREATE TABLE affiliation AS
SELECT id, max(name) AS name, getvariable('nodes') + row_number() OVER () - 1 AS node
FROM affiliated SEMI JOIN record USING (row)
GROUP BY id;

SET VARIABLE nodes = getvariable('nodes') + (SELECT count(*) FROM affiliation);

CREATE TABLE venue AS
SELECT venue_id AS id, max(venue_name) AS name,
  getvariable('nodes') + row_number() OVER () - 1 AS node
FROM papers SEMI JOIN record USING (row)
WHERE venue_id IS NOT NULL
GROUP BY venue_id;

SET VARIABLE nodes = getvariable('nodes') + (SELECT count(*) FROM venue);

CREATE TABLE labeling AS
SELECT node AS paper, unnest(field_schemes) AS scheme, unnest(field_ids) AS id,
  unnest(field_names) AS name
FROM papers JOIN record USING (row);

CREATE TABLE narrower AS
SELECT DISTINCT scheme, id, broader
FROM broader
WHERE row IS NULL OR row IN (SELECT row FROM record);

-- Any name is better than the id.
CREATE TABLE field AS
SELECT scheme, id, arg_max(name, {'named': name <> id, 'name': name}) AS name,
  bool_or(listed) AS listed, getvariable('nodes') + row_number() OVER () - 1 AS node
FROM (
  SELECT scheme, id, name, NULL AS listed FROM labeling
  UNION ALL SELECT scheme, id, name, NULL FROM labels
  UNION ALL SELECT scheme, id, name, true FROM vocabulary
  UNION ALL SELECT scheme, broader, NULL, NULL FROM narrower
)
GROUP BY scheme, id;

SET VARIABLE nodes = getvariable('nodes') + (SELECT count(*) FROM field);

CREATE TABLE named AS
SELECT node AS paper, unnest(schemes) AS scheme, unnest(identifiers) AS value
FROM papers JOIN record USING (row);

CREATE TABLE identifier AS
SELECT scheme, value, getvariable('nodes') + row_number() OVER () - 1 AS node
FROM (SELECT DISTINCT scheme, value FROM named);

SET VARIABLE nodes = getvariable('nodes') + (SELECT count(*) FROM identifier);

CREATE TABLE reader AS
SELECT id, getvariable('nodes') + row_number() OVER () - 1 AS node
FROM (SELECT DISTINCT reader AS id FROM readings);

SET VARIABLE nodes = getvariable('nodes') + (SELECT count(*) FROM reader);

-- Supplementary citations; of repeated ones, the one of highest rank counts.
CREATE TABLE supplement AS
SELECT a.node AS citing, b.node AS cited,
  arg_max(
    {'intents': intents, 'influential': influential, 'contexts': contexts, 'rank': rank}, rank
  ) AS details
FROM citations JOIN paper AS a ON a.id = citing JOIN paper AS b ON b.id = cited
GROUP BY ALL;

-- A supplementary citation replaces the details in the record of the citing paper.
CREATE TABLE cites AS
SELECT coalesce(c.citing, s.citing) AS citing, coalesce(c.cited, s.cited) AS cited,
  if(s.details IS NULL, c.intents, s.details.intents) AS intents,
  if(s.details IS NULL, c.influential, s.details.influential) AS influential,
  if(s.details IS NULL, c.contexts, s.details.contexts) AS contexts,
  s.details.rank AS supplement_rank
FROM (
  SELECT r.node AS citing, paper.node AS cited, d.intents, d.influential, d.contexts
  FROM reference AS r
  JOIN paper ON paper.id = r.cited
  LEFT JOIN details AS d ON d.row = r.row AND d.cited = r.cited
) AS c
FULL JOIN supplement AS s ON s.citing = c.citing AND s.cited = c.cited;

CREATE TABLE about AS
SELECT DISTINCT paper.node AS paper, field.node AS field, true AS supplementary
FROM labels JOIN paper ON paper.id = labels.paper
JOIN field ON field.scheme = labels.scheme AND field.id = labels.id;

INSERT INTO about
SELECT DISTINCT paper, field.node AS field, NULL
FROM labeling JOIN field USING (scheme, id)
ANTI JOIN about ON about.paper = labeling.paper AND about.field = field.node;

-- The longest abstract of several; a view, because the texts would fill the memory.
CREATE TABLE described_twice AS
SELECT id FROM abstracts GROUP BY id HAVING count(*) > 1;

CREATE VIEW abstract AS
SELECT id, text FROM abstracts ANTI JOIN described_twice USING (id)
UNION ALL
SELECT id, arg_max(text, {'length': length(text), 'text': text})
FROM abstracts SEMI JOIN described_twice USING (id)
GROUP BY id;

CREATE TABLE reading AS
SELECT DISTINCT reader.node AS reader, paper.node AS paper, kind, "at", session
FROM readings JOIN reader ON reader.id = readings.reader JOIN paper ON paper.id = readings.paper;

-- Lists of texts, which the importer takes as one text each.
CREATE VIEW lists AS
SELECT ids AS texts FROM affiliations
UNION ALL SELECT intents FROM cites WHERE intents IS NOT NULL
UNION ALL SELECT contexts FROM cites WHERE contexts IS NOT NULL;
