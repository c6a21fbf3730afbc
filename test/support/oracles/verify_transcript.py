"""Verifies transcripts of a relay, one JSON string of a file on each line of stdin; prints "ok" or a problem for each.

Written from the public texts alone: C2SP signed-note and tlog-checkpoint, RFC 6962, RFC 8032, RFC 8785, RFC 9162, EIP-712, and the pages
docs/concepts/how-a-price-was-found.md and docs/reference/protocol.md. The standard library is all that it needs.
"""
import base64
import hashlib
import json
import sys

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def recover_x(y, sign):
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P != 0:
        x = x * ROOT_OF_MINUS_1 % P
    if y >= P or (x * x - x2) % P != 0 or (x == 0 and sign == 1):
        return None
    return P - x if (x & 1) != sign else x


def point(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def add(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = f - e, h - g, h + g, f + e
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(n, a):
    total = (0, 1, 1, 0)
    while n > 0:
        if n & 1:
            total = add(total, a)
        a, n = add(a, a), n >> 1
    return total


BASE = (recover_x(4 * pow(5, P - 2, P) % P, 0), 4 * pow(5, P - 2, P) % P)
BASE = (BASE[0], BASE[1], 1, BASE[0] * BASE[1] % P)


def is_signed(public, message, signature):
    a, r = point(public), point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    left, right = multiply(s, BASE), add(r, multiply(h, a))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


def rotate(lane, n):
    return (lane << n | lane >> (64 - n)) & (2**64 - 1) if n else lane


def keccak256(data):
    """Keccak as Ethereum has it: the padding is that from before FIPS 202."""
    data = bytearray(data + b"\x01" + b"\x00" * (-(len(data) + 1) % 136))
    data[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for start in range(0, len(data), 136):
        for i in range(17):
            lanes[i % 5][i // 5] ^= int.from_bytes(data[start + 8 * i : start + 8 * i + 8], "little")
        lfsr = 1
        for _ in range(24):
            c = [a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] for a in lanes]
            d = [c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], 1) for x in range(5)]
            lanes = [[lanes[x][y] ^ d[x] for y in range(5)] for x in range(5)]
            x, y, current = 1, 0, lanes[1][0]
            for t in range(24):
                x, y = y, (2 * x + 3 * y) % 5
                current, lanes[x][y] = lanes[x][y], rotate(current, (t + 1) * (t + 2) // 2 % 64)
            for y in range(5):
                row = [lanes[x][y] for x in range(5)]
                for x in range(5):
                    lanes[x][y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]) & (2**64 - 1)
            for j in range(7):
                lfsr = (lfsr << 1 ^ (lfsr >> 7) * 0x171) % 256
                if lfsr & 2:
                    lanes[0][0] ^= 1 << ((1 << j) - 1)
    return b"".join(lanes[i % 5][i // 5].to_bytes(8, "little") for i in range(4))


ORDER = (
    b"Order(address maker,uint256 seriesId,uint256 optionAmount,uint256 premiumAmount,bool makerSelling,"
    b"address taker,uint256 validUntil,uint256 nonce)"
)
DOMAIN = b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"


def word(value):
    if isinstance(value, bytes):
        return value
    number = int(value) if not str(value).startswith("0x") else int(value, 16)
    return number.to_bytes(32, "big")


def order_hash(order, domain):
    """EIP-712."""
    names = ("maker", "seriesId", "optionAmount", "premiumAmount", "makerSelling", "taker", "validUntil", "nonce")
    struct = keccak256(keccak256(ORDER) + b"".join(word(order[name]) for name in names))
    place = [keccak256(DOMAIN), keccak256(b"ServiceRFQSettlement"), keccak256(b"1"), domain["chainId"], domain["settlementAddress"]]
    return "0x" + keccak256(b"\x19\x01" + keccak256(b"".join(map(word, place))) + struct).hex()


def check(condition, problem):
    if not condition:
        raise ValueError(problem)


def unbase64(text):
    data = base64.b64decode(text, validate=True)
    check(base64.b64encode(data).decode() == text, "Base64 in another form")
    return data


class Number(str):
    """A number as its file writes it."""


def canonical(value):
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def open_checkpoint(note, keys):
    text, _, lines = note.rpartition("\n\n")
    text += "\n"
    check(lines.endswith("\n"), "the note has no end")
    signatures = {}
    for line in lines[:-1].split("\n"):
        dash, name, data = line.split(" ")
        check(dash == "\u2014", "not a signature")
        signatures[name, unbase64(data)[:4].hex()] = unbase64(data)[4:]
    origin, size, root = text[:-1].split("\n")
    check(len(keys) > 0 and len(signatures) == len(keys), "signatures and keys are not the same")
    for key in keys:
        name, key_id, data = key.split("+", 2)
        kind, public = unbase64(data)[:1], unbase64(data)[1:]
        check(kind == b"\x01" and name == origin, "a key of another log")
        check(sha256(name.encode(), b"\n", kind, public)[:4].hex() == key_id, "a key with another id")
        check((name, key_id) in signatures, "a key that has not signed")
        check(is_signed(public, text.encode(), signatures[name, key_id]), "a wrong signature")
    check(str(int(size)) == size and len(unbase64(root)) == 32, "not a checkpoint")
    return int(size), unbase64(root)


def root_from(index, size, leaf, path):
    """RFC 9162, 2.1.3.2."""
    check(index < size, "outside of the tree")
    fn, sn, hash_ = index, size - 1, leaf
    for node in path:
        check(sn != 0, "too long a proof")
        if fn & 1 or fn == sn:
            hash_ = sha256(b"\x01", node, hash_)
            while not fn & 1 and fn != 0:
                fn, sn = fn >> 1, sn >> 1
        else:
            hash_ = sha256(b"\x01", hash_, node)
        fn, sn = fn >> 1, sn >> 1
    check(sn == 0, "too short a proof")
    return hash_


def price_key(quote):
    """protocol quote-7, best first; prices have six digits at most."""
    price = round(float(quote["price"]) * 1_000_000)
    return (
        quote["demoted"],
        int(quote["misses"]),
        price if quote["side"] == "buy" else -price,
        not quote.get("firm", False),
        quote["pricedAt"],
        quote["quoteId"],
    )


def check_hashes(entries, domain):
    asked = {}
    for entry in entries:
        if "order" in entry:
            asked[entry["quoteId"]] = entry["order"]
        if "orderHash" in entry:
            check(set(domain) == {"chainId", "settlementAddress"}, "other fields of the domain")
            check(order_hash(asked[entry["quoteId"]], domain) == entry["orderHash"], "another order hash")


def check_entries(entries):
    # Several nodes may have entered them in another order.
    entries = sorted(entries, key=lambda entry: entry["at"])
    chosen, terms, quotes, asked, signed = None, None, {}, {}, []
    for entry in entries:
        kind = entry["kind"]
        if kind == "commit_started":
            terms = entry
        if kind == "ranked":
            check(entry["quotes"] == sorted(entry["quotes"], key=price_key), "quotes are not in the order of their ranks")
            chosen, quotes = entry["chosen"], {quote["quoteId"]: quote for quote in entry["quotes"]}
        if kind in ("asked", "confirmed") and "order" in entry and asked.get(entry["quoteId"]) != entry["order"]:
            check(entry["quoteId"] == chosen, "an order of a quote that was not chosen")
            order, quote = entry["order"], quotes[entry["quoteId"]]
            amount = int(order["optionAmount"]) * round(float(quote["price"]) * 1_000_000)
            check(amount == int(order["premiumAmount"]), "another premium")
            check(order["maker"].lower() == quote["maker"].lower(), "another maker")
            check(order["taker"].lower() == terms["wallet"].lower(), "another taker")
            asked[entry["quoteId"]] = order
        if kind == "confirmed":
            check(entry["quoteId"] in asked, "a signature without an order")
            signed.append(entry["quoteId"])
    check(len(signed) <= 1, "two signatures")
    ends = [entry["status"] for entry in entries if entry["kind"] == "closed"]
    check(not ends or (ends[0] == "committed") == bool(signed), "an end that is not that of its commits")


def verify(text):
    file = json.loads(text, parse_float=Number, parse_int=Number)
    check(canonical(file) + "\n" == text, "the file is not canonical JSON")
    check(set(file) == {"format", "requestId", "checkpoint", "keys", "domain", "leaves"}, "other fields")
    check(file["format"] == "rfqctl-transcript-1", "another format")
    size, root = open_checkpoint(file["checkpoint"], file["keys"])
    last, head, entries = -1, None, []
    for place, leaf in enumerate(file["leaves"]):
        index, proof = int(leaf["index"]), list(map(unbase64, leaf["proof"]))
        check(index > last, "lines in another order")
        last = index
        if "record" in leaf:
            check(set(leaf) == {"index", "proof", "salt", "record"}, "other fields of a line")
            record = leaf["record"]
            check(int(record["number"]) == place, "a line is left out")
            check(record["previous"] == (None if head is None else base64.b64encode(head).decode()), "a broken chain")
            check(record["entry"]["requestId"] == file["requestId"], "another request")
            head = sha256(unbase64(leaf["salt"]), canonical(record).encode())
            entries.append(record["entry"])
        else:
            check(set(leaf) == {"index", "proof", "commitment"}, "other fields of a line")
            head = unbase64(leaf["commitment"])
        check(root_from(index, size, sha256(b"\x00", head), proof) == root, "a line that is not in the log")
    check(len(file["leaves"]) > 0, "no line")
    if len(entries) == len(file["leaves"]):
        check_entries(entries)
    has_order = any("orderHash" in entry for entry in entries)
    check((file["domain"] is not None) == has_order, "a domain without an order")
    address = file["domain"]["settlementAddress"] if has_order else ""
    check(address == address.lower(), "an address in another form")
    check_hashes(entries, file["domain"])


for line in sys.stdin:
    try:
        verify(json.loads(line))
        print("ok")
    except Exception as problem:  # noqa: BLE001: whatever is wrong with a file, it is not accepted
        print(f"{type(problem).__name__}: {problem}".replace("\n", " "))
