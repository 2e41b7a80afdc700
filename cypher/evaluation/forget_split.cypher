// Deletes the stored split.
MATCH (split:Split)
DELETE split
