// Measures the heap that no old object holds: young ones come and go.
//
// returns:
//   bytes INTEGER: so many
CALL dbms.queryJmx('java.lang:type=MemoryPool,name=*') YIELD name, attributes
WHERE name CONTAINS 'Old Gen' OR name CONTAINS 'Tenured'
WITH sum(attributes.Usage.value.properties.used) AS held
CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes
RETURN attributes.HeapMemoryUsage.value.properties.max - held AS bytes
