// Drops a trained model, if it is there.
//
// parameters:
//   $model STRING: its name
// returns:
//   name STRING: of what was dropped
CALL gds.model.drop($model, false) YIELD modelName
RETURN modelName AS name
