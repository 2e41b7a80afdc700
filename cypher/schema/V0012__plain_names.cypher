// Properties, labels and relationships get names that say what they hold.
//
// Papers and SourceRecords: draw becomes sample_key, record becomes record_version, abstract_record
// and references_record become abstract_version and references_version, and abstract_apart becomes
// abstract_supplementary. CITES.apart becomes supplement_rank, ABOUT.apart becomes supplementary,
// Topic.made_from becomes space, READ becomes SAVED, and LoadedPart becomes LoadedFile.
MATCH (n:Paper|SourceRecord|ArchivePaper)
WHERE n.draw IS NOT NULL OR n.record IS NOT NULL OR n.abstract_apart IS NOT NULL
CALL (n) {
  SET n.sample_key = n.draw, n.record_version = n.record,
    n.abstract_version = n.abstract_record, n.references_version = n.references_record,
    n.abstract_supplementary = n.abstract_apart
  REMOVE n.draw, n.record, n.abstract_record, n.references_record, n.abstract_apart
} IN TRANSACTIONS OF 10000 ROWS;
MATCH ()-[c:CITES|NAMES]->() WHERE c.apart IS NOT NULL
CALL (c) {
  SET c.supplement_rank = c.apart
  REMOVE c.apart
} IN TRANSACTIONS OF 10000 ROWS;
MATCH ()-[a:ABOUT]->() WHERE a.apart IS NOT NULL
CALL (a) {
  SET a.supplementary = a.apart
  REMOVE a.apart
} IN TRANSACTIONS OF 10000 ROWS;
MATCH (r:Reader)-[old:READ]->(p)
CALL (r, old, p) {
  CREATE (r)-[new:SAVED]->(p)
  SET new = properties(old)
  DELETE old
} IN TRANSACTIONS OF 10000 ROWS;
MATCH (:Reader)-[n:NAMES {kind: 'READ'}]->()
CALL (n) {
  SET n.kind = 'SAVED'
} IN TRANSACTIONS OF 10000 ROWS;
DROP CONSTRAINT loaded_part IF EXISTS;
CREATE CONSTRAINT loaded_file IF NOT EXISTS
  FOR (f:LoadedFile) REQUIRE (f.load, f.key) IS UNIQUE;
MATCH (f:LoadedPart)
SET f:LoadedFile
REMOVE f:LoadedPart;
MATCH (t:Topic) WHERE t.made_from IS NOT NULL
SET t.space = t.made_from
REMOVE t.made_from;
