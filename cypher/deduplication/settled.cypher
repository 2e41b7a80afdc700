// Pass over papers from which nothing is to be moved.
//
// parameters:
//   $nodes INTEGER: papers looked at
// returns:
//   settled INTEGER: papers passed over
MATCH (n:Unsettled&!Stub)
WITH n LIMIT $nodes
WHERE NOT EXISTS {
  (n)<-[r:CITES|VIEWED|READ]-()
  WHERE n:Merged OR r.named IS NOT NULL
}
REMOVE n:Unsettled
RETURN count(*) AS settled
