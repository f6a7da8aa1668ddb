#!/usr/bin/env python3
"""Captures live what it makes itself: transfers over veth pairs between network namespaces, through
a router with a rate and a queue, and on loopback, each held by one thing. The report must name that thing, agree with the sending kernel's
account (TCP_INFO), and be the report on the file that was saved meanwhile.
"""

import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from checks import PROGRAM, hold, skip

FAR = "10.77.1.2"
PORT = 5001
# tcpi_rwnd_limited and tcpi_sndbuf_limited of Linux's struct tcp_info, in microseconds.
RWND_LIMITED_AT = 176

IS_ROOT = os.geteuid() == 0 and "4294967295" in Path("/proc/self/uid_map").read_text()
LONG_QUEUE, SHORT_QUEUE = "500kb", "40kb"
# What holds the transfer, the router's queue, and how the ends use their sockets. The sender
# is Reno: its slow start goes on until a buffer or the queue is full, whatever the delay.
CASES = {
    "receive_window": {"queue": LONG_QUEUE, "rcvbuf": 40_000},
    "send_buffer": {"queue": LONG_QUEUE, "sndbuf": 40_000},
    "congestion_window": {"queue": SHORT_QUEUE},
    "application": {"queue": LONG_QUEUE, "pace": (20_000, 0.02)},
}


def main() -> int:
    if os.environ.get("LIVE_INSIDE"):
        return inside()
    missing = [tool for tool in ("ip", "tc", "unshare", "tcpdump") if not shutil.which(tool)]
    if missing:
        skip(f"no {', '.join(missing)} here")
    # tcpdump gives up root's rights, which takes a second user: one that maps only root has none.
    namespace = ["unshare", "--net", "--mount", *([] if IS_ROOT else ["--user", "--map-root-user"])]
    probe = subprocess.run([*namespace, "sh", "-c", "mount -t tmpfs tmp /run && ip netns add probe"],
                           capture_output=True, text=True)
    if probe.returncode:
        skip(f"no right to make a network namespace: {probe.stderr.strip()}")
    command = f"mount -t tmpfs tmp /run && exec {sys.executable} {__file__}"
    return subprocess.run([*namespace, "sh", "-c", command], env={**os.environ, "LIVE_INSIDE": "1"}).returncode


def inside():
    shell("ip link set lo up; ip netns add router; ip netns add far")
    results = [best(lambda: transfer(name, **case)) for name, case in CASES.items()]
    results.append(best(loopback))
    figures = {
        "live.limit_named_right_share": sum(r["right"] for r in results) / len(results),
        "live.receive_window_share_error_max": max(r["receive_window_error"] for r in results),
        "live.send_buffer_share_short_max": max(r["send_buffer_short"] for r in results),
        "live.saved_file_same_report_share": sum(r["same"] for r in results) / len(results),
        "live.table_right_share": sum(r["table_right"] for r in results) / len(results),
        "live.signals_obeyed_share": signals(),
        "live.rights_given_up": rights(),
        "live.drops_told": drops(),
    }
    if IS_ROOT:
        figures["live.tcpdump_reads_all_share"] = sum(r["readable"] for r in results) / len(results)
        figures["live.pipe_same_verdict"] = pipe()
    else:
        print("SKIPPED what tcpdump reads and pipes: it needs root")
    return hold(figures)


def best(attempt, tries=3):
    """The first that is right: on a busy machine a writer that gets no turn is what limits, truly."""
    for _ in range(tries):
        result = attempt()
        if result["right"] and result["receive_window_error"] < 0.1:
            break
    return result


def transfer(name, queue, rcvbuf=None, sndbuf=None, pace=None):
    """A transfer of three seconds from here to the far namespace, captured here."""
    link(queue)
    with tempfile.TemporaryDirectory() as directory:
        saved = Path(directory) / "saved.pcapng"
        capture = start("-i", "near", "--json", "--every", "500ms", "-w", saved, "tcp port", PORT)
        receiver = subprocess.Popen(
            ["ip", "netns", "exec", "far", sys.executable, "-c", RECEIVER, FAR, str(PORT), str(rcvbuf or 0)],
            stdout=subprocess.PIPE)
        receiver.stdout.readline()
        info = send(FAR, sndbuf, pace)
        receiver.wait()
        result = judge(name, capture, saved, info)
    unlink()
    return result


def loopback():
    """Both ends and the capture on one interface."""
    with tempfile.TemporaryDirectory() as directory:
        saved = Path(directory) / "saved.pcapng"
        capture = start("-i", "lo", "--json", "--every", "500ms", "-w", saved, "tcp port", PORT)
        receiver = subprocess.Popen([sys.executable, "-c", RECEIVER, "127.0.0.1", str(PORT), "0"],
                                    stdout=subprocess.PIPE)
        receiver.stdout.readline()
        info = send("127.0.0.1", None, (20_000, 0.02))
        receiver.wait()
        return judge("application", capture, saved, info)


RECEIVER = """
import socket, sys
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
if int(sys.argv[3]):
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(sys.argv[3]))
listener.bind((sys.argv[1], int(sys.argv[2])))
listener.listen()
print("ready", flush=True)
peer, _ = listener.accept()
while peer.recv(1 << 20):
    pass
"""


def send(host, sndbuf, pace, seconds=3.0):
    """Sends, and gives the shares of the time for which the kernel says either buffer was the limit."""
    peer = socket.socket()
    if sndbuf:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, sndbuf)
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
    peer.connect((host, PORT))
    size, pause = pace or (65_536, 0)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        peer.sendall(bytes(size))
        time.sleep(pause)
    info = peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    peer.close()
    receive_window, send_buffer = struct.unpack_from("=QQ", info, RWND_LIMITED_AT)
    return {"receive_window": receive_window / 1e6 / seconds, "send_buffer": send_buffer / 1e6 / seconds}


def judge(name, capture, saved, info):
    report = finish(capture)
    rows = [line for line in capture.lines if f":{PORT}" in line]
    named = sum(name.replace("_", " ") in line for line in rows)
    flow = max(report["flows"], key=lambda flow: flow["payload_bytes"])
    shares = {limit: flow["limits"][limit]["share"] for limit in ("receive_window", "send_buffer", name)}
    offline = json.loads(subprocess.run([PROGRAM, "analyze", "--json", saved], capture_output=True).stdout)
    differing = [key for key in report if report[key] != offline[key] and key != "input"]
    differing += [key for key in report["input"] if report["input"][key] != offline["input"][key]
                  and key != "files"]
    captured = report["input"]["packets"]
    packets = captured
    if IS_ROOT:
        packets = len(subprocess.run(["tcpdump", "-n", "-r", saved], capture_output=True).stdout.splitlines())
    right = flow["verdict"]["limit"] == name
    print(f"{'pass' if right else 'FAIL'}  {name}: named {flow['verdict']['limit']}; shares "
          f"{', '.join(f'{limit} {share:.2f}' for limit, share in shares.items())}; kernel "
          f"{', '.join(f'{limit} {share:.2f}' for limit, share in info.items())}; {captured} packets, "
          f"{report['input']['capture_drops']} dropped, {flow['goodput_bps'] / 1e6:.1f} Mbit/s")
    print(f"      the table named it in {named} of {len(rows)} looks")
    if differing or packets != captured:
        print(f"      saved: differs in {differing}, tcpdump reads {packets} packets")
    # The kernel counts a full send buffer only where the queue runs empty meanwhile: a lower bound.
    return {"right": right, "table_right": named > len(rows) / 2, "same": not differing, "readable": packets == captured and captured > 0,
            "receive_window_error": abs(shares["receive_window"] - info["receive_window"]),
            "send_buffer_short": info["send_buffer"] - shares["send_buffer"]}


def signals():
    """Ctrl-C and SIGTERM end a capture with its report; a count and a time with status 0."""
    ways = []
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        capture = start("-i", "lo", "--json")
        ways.append(bool(finish(capture, number)) and capture.returncode == status)
    for option in (("--for", "500ms"), ("--count", "4")):
        capture = start("-i", "lo", "--json", *option)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
            for _ in range(8):
                peer.sendto(b"count me", ("127.0.0.1", PORT))
        report = json.loads(capture.stdout.read())
        capture.wait(timeout=20)
        ways.append(capture.returncode == 0 and (option[0] == "--for" or report["input"]["packets"] == 4))
    print(f"signals, time and count: {ways}")
    return sum(ways) / len(ways)


def drops():
    """What passes while the program does not run is lost once the kernel's buffer is full, and told."""
    capture = start("-i", "lo", "--json", "--buffer", 1, "--every", "500ms", "udp")
    capture.send_signal(signal.SIGSTOP)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        for _ in range(20_000):
            peer.sendto(bytes(1000), ("127.0.0.1", PORT))
    capture.send_signal(signal.SIGCONT)
    time.sleep(1)
    source = finish(capture)["input"]
    ungrouped = [re.sub(r"(?<=\d)\s(?=\d{3})", "", line) for line in capture.lines]
    told = [line for line in ungrouped if f"the kernel dropped {source['capture_drops']} packets" in line]
    print(f"drops: {source['packets']} packets and {source['capture_drops']} dropped of 20000; {told[-1:]}")
    return int(source["capture_drops"] > 0 and source["packets"] + source["capture_drops"] >= 20_000 and bool(told))


def rights():
    """No thread of a capture that runs has a right left; what it saves is the user's who called sudo."""
    users = [({}, 65534), ({"SUDO_UID": "1234", "SUDO_GID": "1234"}, 1234)] if IS_ROOT else [({}, 0)]
    return min(rights_of(*user) for user in users)


def rights_of(environment, user):
    saved = Path(tempfile.mkdtemp()) / "saved.pcapng"
    capture = start("-i", "lo", "-w", saved, environment=environment)
    states = [path.read_text() for path in Path(f"/proc/{capture.pid}/task").glob("*/status")]
    field = lambda state, name: next(line.split()[1] for line in state.splitlines() if line.startswith(name))
    none = all(int(field(state, name), 16) == 0 for state in states for name in ("CapEff", "CapPrm", "CapInh"))
    locked = all(field(state, "NoNewPrivs") == "1" for state in states)
    users = {int(number) for state in states for number in uids(state)}
    owner = saved.stat().st_uid
    capture.send_signal(signal.SIGINT)
    capture.stdout.read()
    capture.wait(timeout=20)
    shutil.rmtree(saved.parent)
    print(f"rights: {len(states)} threads of users {users}, no capability left {none}, no new ones {locked}; "
          f"saved as {owner}")
    is_own = owner == (user if environment else 0)
    return int(none and locked and len(states) > 1 and users == {user} and is_own)


def uids(state):
    return next(line.split()[1:] for line in state.splitlines() if line.startswith("Uid:"))


def pipe():
    """`tcpdump -w - | tcplimit analyze -`, as over ssh: another program has the rights."""
    link(LONG_QUEUE)
    tcpdump = subprocess.Popen(["tcpdump", "-i", "near", "-s", "128", "-U", "-w", "-", "tcp", "port", str(PORT)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    tcpdump.stderr.readline()
    analyze = subprocess.Popen([PROGRAM, "analyze", "--json", "-"], stdin=tcpdump.stdout, stdout=subprocess.PIPE)
    receiver = subprocess.Popen(["ip", "netns", "exec", "far", sys.executable, "-c", RECEIVER, FAR, str(PORT), "40000"],
                                stdout=subprocess.PIPE)
    receiver.stdout.readline()
    send(FAR, None, None)
    receiver.wait()
    time.sleep(0.5)
    tcpdump.send_signal(signal.SIGINT)
    report = json.loads(analyze.communicate(timeout=20)[0])
    unlink()
    limit = max(report["flows"], key=lambda flow: flow["payload_bytes"])["verdict"]["limit"]
    print(f"tcpdump -w - | tcplimit analyze -: {limit}")
    return int(limit == "receive_window")


def start(*args, environment=None):
    """A capture that has begun."""
    capture = subprocess.Popen([PROGRAM, "capture", *map(str, args)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
    assert b"capturing" in capture.stderr.readline()
    capture.lines = []
    reader = threading.Thread(target=lambda: capture.lines.extend(capture.stderr.read().decode().splitlines()))
    reader.start()
    capture.told = reader
    time.sleep(0.3)
    return capture


def finish(capture, number=signal.SIGINT):
    time.sleep(0.3)
    capture.send_signal(number)
    out = capture.stdout.read()
    capture.wait(timeout=20)
    capture.told.join()
    return json.loads(out)


def link(queue):
    """Here, a router that sends 20 Mbit/s from a queue, and the far end."""
    shell(f"""
        ip link add near type veth peer name left netns router
        ip -n router link add right type veth peer name far netns far
        ip addr add 10.77.0.1/24 dev near
        ip -n router addr add 10.77.0.2/24 dev left
        ip -n router addr add 10.77.1.1/24 dev right
        ip -n far addr add {FAR}/24 dev far
        ip link set near up
        for end in left right; do ip -n router link set $end up; done
        ip -n far link set far up
        ip route add 10.77.1.0/24 via 10.77.0.2
        ip -n far route add 10.77.0.0/24 via 10.77.1.1
        ip netns exec router sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
        ip netns exec router tc qdisc add dev right root tbf rate 20mbit burst 5kb limit {queue}
    """)


def unlink():
    shell("ip link del near; ip -n router link del right")


def shell(commands):
    subprocess.run(["sh", "-euc", commands], check=True)


if __name__ == "__main__":
    sys.exit(main())
