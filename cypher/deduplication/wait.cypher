// Have some merged papers merged anew.
//
// parameters:
//   $papers LIST<STRING>: ids of papers; those that are not merged are passed over
// returns:
//   paper STRING: a merged paper
//   id STRING: an id under which it was told
UNWIND $papers AS paper
MATCH (p:Paper {id: paper})<-[:INTO]-(m:Merged)
SET m:Waiting
RETURN p.id AS paper, m.id AS id
