"""A local Neo4j with Graph Data Science as a child process: no Docker, no Java needed.

In: the committed lock of jars, a data and a cache directory. Out: the endpoint of a running
server.

    instance = Instance("default", data_dir, cache_dir)
    with instance.lease() as endpoint:      # started when need be, stops when idle
        ...
    instance.up(); instance.down()          # stays in between
"""

from specter_graph.graph.server.endpoint import Endpoint, ServerStatus
from specter_graph.graph.server.instance import Instance

__all__ = ["Endpoint", "Instance", "ServerStatus"]
