// Terminate a running query.
//
// parameters:
//   $run STRING: the metadata `run` of its transaction
// returns:
//   message STRING: the message of the server
SHOW TRANSACTIONS YIELD transactionId, metaData WHERE metaData.run = $run
TERMINATE TRANSACTIONS transactionId YIELD message
RETURN message
