"""A worker without a net, which can fail in the ways there are. For the tests of this room.

Logits are label / 1024, the win rate is the first byte of the planes / 256.
"""

import json
import os
import struct
import sys
import time
import zlib

BYTES, LABELS, (GAME, PLANES, NAMES) = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split("/")
MODE, MARK = sys.argv[4], sys.argv[5]


def whole(count):
    data = sys.stdin.buffer.read(count)
    if len(data) < count:
        sys.exit(0)
    return data


def answer(kind, number, counts, payload=b""):
    head = struct.pack("<4sIQII", b"NueA", kind, number, *counts)
    sum_ = zlib.crc32(head + payload)
    if MODE == "checksum" and kind == 1:
        sum_ ^= 1
    sys.stdout.buffer.write(head + payload + struct.pack("<I", sum_))
    sys.stdout.buffer.flush()


def text(kind, number, words):
    answer(kind, number, (len(words), 0), words.encode())


if MODE == "silent":
    time.sleep(60)
if MODE == "crash":
    print("Traceback: no torch here", file=sys.stderr)
    sys.exit(3)
if MODE == "chatter":
    print("Loading libraries...")
version = 1 if MODE == "version" else 2
about = {"protocol": "nue-worker", "version": version, "game": GAME, "planes": PLANES}
about |= {"labels": NAMES, "bytes": BYTES, "label_count": LABELS, "about": "a fake", "batch": 64}
print(json.dumps(about), flush=True)

# Whether this is the first program that was started.
first = not os.path.exists(MARK)
with open(MARK, "a") as mark:
    print("started with", *sys.argv[6:], file=mark)
served, loaded = 0, False
while True:
    head = whole(24)
    magic, kind, number, count, labels = struct.unpack("<4sIQII", head)
    payload = b""
    if kind in (1, 3):
        payload = whole(count * BYTES + 2 * count + 2 * labels)
    if kind == 5:
        payload = whole(count)
    (sum_,) = struct.unpack("<I", whole(4))
    if magic != b"NueQ" or zlib.crc32(head + payload) != sum_:
        text(4, number, "the request is damaged")
        sys.exit(1)
    if kind == 2:
        if MODE == "hang" and first:
            continue
        answer(2, number, (0, 0))
        continue
    if kind == 5:
        if MODE == "die loading" and first:
            os._exit(9)
        loaded = True
        with open(MARK, "a") as mark:
            print("loaded", payload.decode(), file=mark)
        told = dict(about)
        if MODE == "refuse":
            told = {"protocol": "nue-worker", "version": version, "error": "no such net"}
        if MODE == "other":
            told |= {"game": "shogi", "planes": "dlshogi", "labels": "dlshogi"}
            told |= {"bytes": 635, "label_count": 2187}
        text(5, number, json.dumps(told))
        continue
    if kind == 3:
        if MODE == "nonsense" or MODE == "nonsense later" and (loaded or "second.net" in sys.argv):
            text(4, number, "the net gives nonsense in full precision")
        else:
            text(3, number, "all well")
        continue
    if served == 2 and (MODE == "always" or MODE == "die" and first):
        print("killed by a bug", file=sys.stderr)
        os._exit(9)
    if served == 2 and MODE == "late":
        # The output ends before the reason is said.
        os.close(1)
        time.sleep(0.2)
        print("said late", file=sys.stderr)
        os._exit(9)
    if served == 1 and MODE == "hang" and first:
        continue
    if served == 1 and MODE == "garbage" and first:
        sys.stdout.buffer.write(b"This is not an answer, but words. " * 4)
        sys.stdout.buffer.flush()
        continue
    served += 1
    wins = [payload[i * BYTES] / 256 for i in range(count)]
    asked = struct.unpack(f"<{labels}H", payload[count * BYTES + 2 * count :])
    out = struct.pack(f"<{labels}e", *(label / 1024 for label in asked))
    if MODE == "nan":
        wins = [float("nan")] * count
    out += b"".join(struct.pack("<ff", win, 0.0) for win in wins)
    answer(1, number, (count, labels), out)
