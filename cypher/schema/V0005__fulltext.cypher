// What full-text search reads, with English stems. Its name is none that a vector index can have.
//
// Loads do not wait for it: what has been committed is found a moment later.
CREATE FULLTEXT INDEX fulltext_papers IF NOT EXISTS FOR (p:Paper) ON EACH [p.title, p.abstract]
  OPTIONS {indexConfig: {
    `fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true
  }};
