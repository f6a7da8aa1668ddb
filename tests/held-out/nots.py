"""vantage.py without timestamps, so that away from the sender nothing tells when it sent: table("nots1") and, for
another kernel, table("nots2")."""
from vantage import rows


def table(which):
    out = rows(which, {"nots1": 20261150, "nots2": 20261151}[which])
    for row in out:
        row["sysctl"] = {"net.ipv4.tcp_timestamps": 0}
    return out
