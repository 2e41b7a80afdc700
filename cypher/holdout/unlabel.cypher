// Take the hold-out labels off all papers, in transactions of its own.
//
// returns:
MATCH (paper:Test|Validation)
CALL (paper) {
  REMOVE paper:Test:Validation
} IN TRANSACTIONS OF 10000 ROWS
