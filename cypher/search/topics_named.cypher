// Returns the topics with an id or a name, ignoring case, with their numbers of papers.
//
// parameters:
//   $name STRING: the id or name
// returns:
//   node STRING: the element id of a topic
//   papers INTEGER: number of its papers
//   every INTEGER: number of all papers
MATCH (topic:Topic)
WHERE topic.id = $name OR toLower(topic.name) = toLower($name)
RETURN elementId(topic) AS node, COUNT { (topic)<-[:IN_TOPIC]-() } AS papers, COUNT { (:Paper) } AS every
