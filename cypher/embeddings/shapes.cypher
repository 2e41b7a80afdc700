// Counts the vectors of a space, and its vectors of a wrong dimension.
//
// parameters:
//   $space STRING: the name of the space
//   $hash STRING: the property with the text hashes
//   $dimension INTEGER: its dimension
// returns:
//   vectors INTEGER: papers with a vector
//   hashed INTEGER: papers with a vector and a text hash
//   misshapen INTEGER: vectors of a wrong dimension
MATCH (paper:Paper)
WHERE paper[$space] IS NOT NULL
RETURN count(*) AS vectors, count(paper[$hash]) AS hashed,
       sum(CASE WHEN size(paper[$space]) = $dimension THEN 0 ELSE 1 END) AS misshapen
