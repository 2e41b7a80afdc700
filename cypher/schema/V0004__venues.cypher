// The key of the venues that papers are reviewed for; the ORCIDs by which reviewers may be named.
CREATE CONSTRAINT review_venue_name IF NOT EXISTS
  FOR (v:ReviewVenue) REQUIRE v.name IS UNIQUE;
CREATE INDEX author_orcid IF NOT EXISTS FOR (a:Author) ON (a.orcid);
