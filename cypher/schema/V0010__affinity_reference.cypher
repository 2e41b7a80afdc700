// Drop the reference corpora of affinities: they are plain cosines now.
MATCH (r:ScoreReference)
DETACH DELETE r;
