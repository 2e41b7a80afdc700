-- The content of the files for the importer; a comment gives the label or type of each file.
--
-- Nodes are identified by the numbers of resolve.sql. joined() converts a list to one text.

-- nodes Paper
SELECT record.node AS ":ID", p.id, p.sample_key, p.record_version, abstract_version,
  references_version, getvariable('load') AS load, getvariable('loaded') AS "loaded:datetime", title, year, published, language, url, source, body, retracted, doi,
  arxiv_id, pubmed_id, coalesce(text, other, p.abstract) AS abstract,
  CASE WHEN text IS NOT NULL THEN true END AS abstract_supplementary
FROM papers AS p JOIN record USING (row) LEFT JOIN abstract ON abstract.id = p.id
LEFT JOIN abstract_of_other USING (row);

-- nodes Paper:Stub
SELECT node AS ":ID", id, sample_key(id) AS sample_key, text AS abstract,
  CASE WHEN text IS NOT NULL THEN true END AS abstract_supplementary
FROM stub LEFT JOIN abstract USING (id);

-- nodes Author
SELECT node AS ":ID", id, name, identified, orcid FROM author;

-- nodes Affiliation
SELECT node AS ":ID", id, name FROM affiliation;

-- nodes Venue
SELECT node AS ":ID", id, name FROM venue;

-- nodes Field
SELECT node AS ":ID", scheme, id, name, listed FROM field;

-- nodes Identifier
SELECT node AS ":ID", scheme, value FROM identifier;

-- nodes Reader
SELECT node AS ":ID", id FROM reader;

-- nodes Load
SELECT getvariable('nodes') AS ":ID", getvariable('load') AS key,
  getvariable('began') AS "began:datetime", getvariable('ended') AS "ended:datetime"
WHERE getvariable('began') IS NOT NULL;

-- relationships CITES
SELECT citing AS ":START_ID", cited AS ":END_ID"
FROM cites
WHERE coalesce(intents, contexts) IS NULL AND influential IS NULL AND supplement_rank IS NULL;

-- relationships CITES
SELECT citing AS ":START_ID", cited AS ":END_ID", joined(intents) AS "intents:string[]",
  influential, joined(contexts) AS "contexts:string[]", supplement_rank
FROM cites
WHERE coalesce(intents, contexts) IS NOT NULL OR influential IS NOT NULL
  OR supplement_rank IS NOT NULL;

-- relationships WROTE
SELECT author.node AS ":START_ID", paper AS ":END_ID", position,
  joined(ids) AS "affiliations:string[]"
FROM wrote JOIN author ON author.id = wrote.id
LEFT JOIN affiliations AS a ON a.row = wrote.row AND a.author = wrote.id;

-- relationships AFFILIATED_WITH
SELECT author.node AS ":START_ID", affiliation.node AS ":END_ID", min(year) AS first,
  max(year) AS last
FROM (FROM affiliated SEMI JOIN record USING (row)) AS a
JOIN author ON author.id = a.author JOIN affiliation ON affiliation.id = a.id
GROUP BY author.node, affiliation.node;

-- relationships PUBLISHED_IN
SELECT record.node AS ":START_ID", venue.node AS ":END_ID"
FROM papers JOIN record USING (row) JOIN venue ON venue.id = venue_id;

-- relationships ABOUT
SELECT paper AS ":START_ID", field AS ":END_ID" FROM about WHERE supplementary IS NULL;

-- relationships ABOUT
SELECT paper AS ":START_ID", field AS ":END_ID", supplementary FROM about WHERE supplementary;

-- relationships BROADER
SELECT f.node AS ":START_ID", b.node AS ":END_ID"
FROM narrower AS n JOIN field AS f ON f.scheme = n.scheme AND f.id = n.id
JOIN field AS b ON b.scheme = n.scheme AND b.id = n.broader;

-- relationships OF
SELECT node AS ":START_ID", paper AS ":END_ID" FROM named JOIN identifier USING (scheme, value);

-- relationships VIEWED
SELECT reader AS ":START_ID", paper AS ":END_ID", "at", session FROM reading WHERE kind = 'VIEWED';

-- relationships SAVED
SELECT reader AS ":START_ID", paper AS ":END_ID", "at", session FROM reading WHERE kind = 'SAVED';
