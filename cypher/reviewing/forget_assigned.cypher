// Deletes an assignment of a venue with the list of its changes, and replaces its settings.
//
// parameters:
//   $venue STRING: the venue
//   $name STRING: the name of the assignment
//   $changes_property STRING: the property of the list for this name
//   $settings_property STRING: the property of the settings for this name
//   $settings STRING: the new settings as JSON; null deletes them
MATCH (v:ReviewVenue {name: $venue})
SET v[$changes_property] = null, v[$settings_property] = $settings
WITH v
MATCH (v)<-[:SUBMITTED_TO]-(:Submission)<-[a:ASSIGNED]-()
WHERE coalesce(a.name, 'reviewer') = $name
DELETE a
