"""A Ray of two nodes with one processor each, on this machine: the head, and one that a line on standard input kills. Prints its
address, and `killed` when that node is gone. Ends with its input."""

import os
import sys

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

from ray.cluster_utils import Cluster

node = {"num_cpus": 1, "object_store_memory": 100 << 20, "include_dashboard": False}
cluster = Cluster(initialize_head=True, head_node_args=node)
other = cluster.add_node(num_cpus=1, object_store_memory=100 << 20)
cluster.wait_for_nodes()
print(cluster.address, flush=True)
if sys.stdin.readline():
    cluster.remove_node(other, allow_graceful=False)
    print("killed", flush=True)
    sys.stdin.read()
cluster.shutdown()
