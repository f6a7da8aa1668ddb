#!/usr/bin/env python3
"""Compares `--filter` with tcpdump: the same packets of every real capture pass every expression.

`tcpdump -r FILE -w - EXPRESSION` is the reference. Where it cannot compile an expression for the
file's link type, tcplimit must say so, too.
"""

import gzip
import json
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from checks import corpus, hold, parallel, run, skip

EXPRESSIONS = """
tcp
udp
icmp
icmp6
ip
ip6
arp
not tcp
tcp or udp
ip or ip6
tcp port 80
tcp src port 80
tcp dst port 80
port 443
port 53
port 5001 or port 5201
not port 80
portrange 1-1023
tcp portrange 1024-65535
tcp dst portrange 1-1023
greater 1000
less 100
len > 60
len == 60
len >= 1514
greater 1000 and tcp
host 10.0.0.1
src host 192.168.1.1
net 10.0.0.0/8
net 192.168
src net 172.16.0.0/12
dst net 128.0.0.0/1
ip6 and tcp
ip6 net 2000::/3
ip6 net fe80::/10
tcp[tcpflags] & tcp-syn != 0
tcp[tcpflags] == tcp-syn|tcp-ack
tcp[tcpflags] & (tcp-fin|tcp-rst) != 0
tcp[13] & 8 != 0
tcp[13] = 16
tcp[14:2] == 0
tcp[14:2] < 1024
ip[2:2] > 576
ip[6:2] & 0x1fff != 0
ip[6] & 0x40 != 0
ip[8] < 64
ip[9] = 6
ip proto 47
ip proto \\tcp
ip6 proto 6
ip protochain 6
((ip[2:2] - ((ip[0]&0xf)<<2)) - ((tcp[12]&0xf0)>>2)) != 0
tcp[((tcp[12:1] & 0xf0) >> 2):4] = 0x47455420
vlan
vlan and tcp
vlan 5
mpls
mpls and tcp
pppoes
pppoes and tcp
geneve
broadcast
multicast
ip multicast
ip broadcast
ether proto 0x0800
ether proto 0x86dd
ether[0] & 1 = 0
ether host ff:ff:ff:ff:ff:ff
link[0:2] != 0
wlan type mgt
type data
inbound
ifname eth0
tcp and not (port 22 or port 80 or port 443)
(tcp or udp) and less 200 and not arp
src portrange 1024-65535 and dst port 80
host 127.0.0.1 or host ::1
tcp[tcpflags] & tcp-push != 0 and greater 500
udp port 4789 or udp port 6081 or udp port 2152
""".split("\n")[1:-1]


def main() -> int:
    if not shutil.which("tcpdump"):
        skip("no tcpdump here")
    if "libpcap: not found" in run("--version").out.decode():
        skip("no libpcap here")
    files = [path for path in sorted((corpus() / "real/open").iterdir())
             if any(part in path.name for part in (".pcap", ".dmp"))]
    with tempfile.TemporaryDirectory() as plain:
        rows = [row for rows in parallel(lambda path: compare(path, Path(plain)), files) for row in rows]
    differences = [row for row in rows if row["ours"] != row["theirs"]]
    for row in differences[:40]:
        print(f"DIFFERS {row['file']} ({row['link_type']}) {row['expression']!r}: "
              f"{row['ours']}, tcpdump {row['theirs']}")
    print(Counter(row["link_type"] for row in rows if row["expression"] == "tcp"))
    refused = sum(row["theirs"] == "refused" for row in rows)
    passing = sum(row["theirs"] not in ("refused", 0) for row in rows)
    print(f"{len(EXPRESSIONS)} expressions, {len(files)} files, {len(rows)} counts: tcpdump refuses "
          f"{refused}, passes packets in {passing}, {len(differences)} differ")
    return hold({
        "filters.expressions": len(EXPRESSIONS),
        "filters.link_types": len({row["link_type"] for row in rows if row["expression"] == "tcp"}),
        "filters.equal_share": 1 - len(differences) / len(rows),
    })


def compare(path, plain):
    file = path
    if path.suffix == ".gz":
        file = plain / path.name
        file.write_bytes(gzip.decompress(path.read_bytes()))
    parts = by_link_type(file, plain)
    for expression in EXPRESSIONS:
        ours, link_type = passed(file, expression)
        counts = [tcpdump(part, expression) for part in parts]
        understood = [count for count in counts if count != "refused"]
        yield {"file": path.name, "expression": expression, "link_type": link_type,
               "ours": ours, "theirs": sum(understood) if understood else "refused"}


def by_link_type(file, plain):
    """The file, or one for each of its link types: libpcap reads no pcapng file to its end that has
    several."""
    octets, at, interfaces, parts = file.read_bytes(), 0, [], {}
    while octets[:4] == b"\n\r\r\n" and octets[8:12] == b"\x4d\x3c\x2b\x1a" and at + 12 <= len(octets):
        kind, length = struct.unpack_from("<II", octets, at)
        if kind == 1:
            interfaces.append(struct.unpack_from("<H", octets, at + 8)[0])
        if kind == 6:
            number, _, _, kept, size = struct.unpack_from("<IIIII", octets, at + 8)
            record = struct.pack("<IIII", 0, 0, kept, size) + octets[at + 28:at + 28 + kept]
            parts.setdefault(interfaces[number], []).append(record)
        at += length
    if len(parts) < 2:
        return [file]
    files = []
    for link_type, records in parts.items():
        files.append(plain / f"{file.name}.{link_type}.pcap")
        header = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, link_type)
        files[-1].write_bytes(header + b"".join(records))
    return files


def passed(file, expression):
    """Packets that pass, and the file's link types."""
    done = run("analyze", "--json", "--quiet", "--filter", expression, file)
    if done.status not in (0, 4):
        return ("refused" if "filter" in done.err else done.err or done.status), ""
    source = json.loads(done.out)["input"]
    return source["filter"]["packets_passed"], " ".join(source["link_types"])


def tcpdump(file, expression):
    """Packets that pass, counted in the capture that tcpdump writes."""
    done = subprocess.run(["tcpdump", "-n", "-r", file, "-w", "-", expression], capture_output=True)
    if not done.stdout:
        return "refused"
    count, at = 0, 24
    while at + 16 <= len(done.stdout):
        at += 16 + struct.unpack_from("=I", done.stdout, at + 8)[0]
        count += 1
    return count


if __name__ == "__main__":
    sys.exit(main())
