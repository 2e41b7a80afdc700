// What finds authors by name, whatever the case of the letters and their accents.
//
// Loads do not wait for it: an author who has been committed is found a moment later.
CREATE FULLTEXT INDEX fulltext_authors IF NOT EXISTS FOR (a:Author) ON EACH [a.name]
  OPTIONS {indexConfig: {
    `fulltext.analyzer`: 'standard-folding', `fulltext.eventually_consistent`: true
  }};
