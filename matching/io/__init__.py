"""Read the files of a venue: submissions, reviewers, archives, bids, conflicts, quotas.

Files are tables, or exports of OpenReview, HotCRP, EasyChair and Microsoft CMT. The readers return
`loaders.review_records`, and `loaders.records.Paper` for papers of archives. The first row that
cannot be used raises an InputError with file, line and id. `rows.ReadReport` has unknown columns.
"""
