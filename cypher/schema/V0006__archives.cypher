// The key of what is in reviewers' archives, which are no part of the literature.
CREATE CONSTRAINT archive_paper_id IF NOT EXISTS FOR (p:ArchivePaper) REQUIRE p.id IS UNIQUE;
