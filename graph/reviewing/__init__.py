"""Review venues in the graph: submissions, reviewers, bids, conflicts and assignments.

`import_venue` writes the records of `loaders.review_records`. The other functions read them back,
find conflicts of interest, and count citations between reviewers and submissions. Callers use the
ids that the venue gave. In the graph, a submission has the id `VENUE/ID`, and a reviewer is an
author::

    (:Submission)-[:SUBMITTED_TO]->(:ReviewVenue)<-[:REVIEWS_FOR]-(:Author:Reviewer)
    (:Author)-[:SUBMITTED]->(:Submission)-[:REFERS_TO]->(:Paper)
    (:Author:Reviewer)-[:BID|DECLARED_CONFLICT|ASSIGNED]->(:Submission)
    (:Author)-[:WROTE_ARCHIVED]->(:ArchivePaper)
"""
