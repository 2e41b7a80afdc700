// Says how far an algorithm has come.
//
// parameters:
//   $job STRING: the run
// returns:
//   progress STRING: such as 37.5%; no row before it begins, n/a where it does not know
CALL gds.listProgress() YIELD jobId, progress
WHERE jobId = $job
RETURN progress
