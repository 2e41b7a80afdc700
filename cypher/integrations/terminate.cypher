// Ends a query that still runs.
//
// parameters:
//   $run STRING: what its transaction carries as metadata `run`
// returns:
//   message STRING: what the server says
SHOW TRANSACTIONS YIELD transactionId, metaData WHERE metaData.run = $run
TERMINATE TRANSACTIONS transactionId YIELD message
RETURN message
