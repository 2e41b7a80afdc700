// A node with a label of specter-graph.
//
// returns:
//   labels LIST<STRING>: its labels
{{include maintenance/own_nodes}}
RETURN labels(n) AS labels
LIMIT 1
