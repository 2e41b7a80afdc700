// Writes topics.
//
// parameters:
//   $topics LIST<MAP>: their properties
UNWIND $topics AS properties
CREATE (topic:Topic)
SET topic = properties
