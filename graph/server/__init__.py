"""A local Neo4j with Graph Data Science as a child process, without Docker or an installed Java.

instance = Instance("default", data_dir, cache_dir)
with instance.lease() as endpoint:      # started if it is not running, stops when idle
    ...
instance.up(); instance.down()          # runs between these two calls
"""

from specter_graph.graph.server.endpoint import Endpoint, ServerStatus
from specter_graph.graph.server.instance import Instance

__all__ = ["Endpoint", "Instance", "ServerStatus"]
