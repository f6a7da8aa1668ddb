"""vantage.py without timestamps, so that away from the sender nothing tells when it sent: table("nots1") and, for
other kernels, table("nots2") and table("nots3")."""
from vantage import rows


def table(which):
    out = rows(which, {"nots1": 20261150, "nots2": 20261151, "nots3": 20261152}[which])
    for row in out:
        row["sysctl"] = {"net.ipv4.tcp_timestamps": 0}
    return out
