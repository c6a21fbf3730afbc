"""Keccak-256, secp256k1 and EIP-712 in plain Python, to be read: the standard library has none of them.

It is not constant in time. For real money use an audited library, such as eth-account from PyPI.
"""
import secrets

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
     0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)

def keccak256(data):
    data = bytearray(data + b"\x01" + bytes(-(len(data) + 1) % 136))
    data[-1] |= 0x80
    rol = lambda lane, bits: (lane << bits % 64 | lane >> 64 - bits % 64) % 2**64
    a = [[0] * 5 for _ in range(5)]
    for block in range(0, len(data), 136):
        for i in range(17):
            a[i % 5][i // 5] ^= int.from_bytes(data[block + 8 * i:block + 8 * i + 8], "little")
        lfsr = 1
        for _ in range(24):
            c = [column[0] ^ column[1] ^ column[2] ^ column[3] ^ column[4] for column in a]
            a = [[lane ^ c[x - 1] ^ rol(c[(x + 1) % 5], 1) for lane in a[x]] for x in range(5)]
            x, y, lane = 1, 0, a[1][0]
            for t in range(24):
                x, y = y, (2 * x + 3 * y) % 5
                lane, a[x][y] = a[x][y], rol(lane, (t + 1) * (t + 2) // 2)
            a = [[a[x][y] ^ (~a[(x + 1) % 5][y] & a[(x + 2) % 5][y]) for y in range(5)] for x in range(5)]
            for j in range(7):
                lfsr = (lfsr << 1 ^ (lfsr >> 7) * 0x171) % 256
                a[0][0] ^= (lfsr >> 1 & 1) << 2**j - 1
    return b"".join(a[i][0].to_bytes(8, "little") for i in range(4))

def add(p, q):
    if p is None or q is None:
        return p or q
    if p[0] == q[0] and p[1] != q[1]:
        return None
    slope = 3 * p[0] ** 2 * pow(2 * p[1], -1, P) if p == q else (q[1] - p[1]) * pow(q[0] - p[0], -1, P)
    x = (slope**2 - p[0] - q[0]) % P
    return x, (slope * (p[0] - x) - p[1]) % P

def times(k, point=G):
    return None if k == 0 else add(times(k // 2, add(point, point)), point if k % 2 else None)

def word(value):
    return (int(value, 0) if isinstance(value, str) else int(value)).to_bytes(32, "big")

def address_of(key):
    return "0x" + keccak256(b"".join(map(word, times(key))))[12:].hex()

def struct_hash(name, fields, values):
    type_text = f"{name}({','.join(f'{type_} {field}' for field, type_ in fields)})"
    words = [keccak256(values[f].encode()) if type_ == "string" else word(values[f]) for f, type_ in fields]
    return keccak256(keccak256(type_text.encode()) + b"".join(words))

def sign(digest, key):
    k = secrets.randbelow(N - 1) + 1
    x, y = times(k)
    s = pow(k, -1, N) * (int.from_bytes(digest, "big") + x * key) % N
    odd = y % 2 ^ (s > N // 2)
    return "0x" + (word(x % N) + word(min(s, N - s)) + bytes([27 + odd])).hex()
