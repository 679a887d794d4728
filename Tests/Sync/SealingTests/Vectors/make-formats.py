#!/usr/bin/env python3
"""A second implementation of the formats in docs/Cryptography.md, which writes formats.json.

It shares no code with the program: primitives come from the Python package `cryptography`. The file is
frozen: run this only to see that it still gives the same bytes (`./make-formats.py | cmp - formats.json`),
or to add formats at the end.
"""
import hashlib
import hmac
import json
import sys
import unicodedata
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PREFIX = b"keychain-sync/1 "


def n(value):
    return value.to_bytes(8, "big")


def L(value):
    return n(len(value)) + value


def E(*fields):
    out = b""
    for field in fields:
        if isinstance(field, int):
            out += n(field)
        elif isinstance(field, list):
            out += n(len(field)) + b"".join(field)
        else:
            out += L(field if isinstance(field, bytes) else field.encode())
    return out


def label(text):
    return L(PREFIX + text.encode())


def sha(data):
    return hashlib.sha256(data).digest()


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def expand(key, info, count):
    out, block, number = b"", b"", 1
    while len(out) < count:
        block = mac(key, block + info + bytes([number]))
        out, number = out + block, number + 1
    return out[:count]


def K(key, text):
    return expand(key, label("key") + label(text), 32)


def K_at(key, text, context):
    return expand(key, label("key") + L(b"keychain-sync/1 " + text.encode() + context), 32)


def pad(text):
    size = 256
    while size < len(text) + 8:
        size *= 2
    return L(text).ljust(size, b"\0")


def box(key, purpose, context, text, randomness):
    padded, c = pad(text), sha(context)
    salt = mac(K(key, "hedge"), randomness + c + padded)
    out = expand(key, label("box") + label(purpose) + salt + c, 64)
    return b"\x01" + salt + out[32:] + AESGCM(out[:32]).encrypt(bytes(12), padded, b"")


def seq(start, count=32):
    return bytes((start + i) % 256 for i in range(count))


def raw(public):
    return public.public_bytes(Encoding.Raw, PublicFormat.Raw)


# RFC 9180, PSK mode (base mode without a psk), X25519 / HKDF-SHA-256 / AES-256-GCM, single shot.
def hpke_psk(public, ephemeral, psk, psk_id, info, text):
    def extract(suite, salt, name, key):
        return mac(salt or bytes(32), b"HPKE-v1" + suite + name + key)

    def expand_labelled(suite, key, name, data, count):
        return expand(key, count.to_bytes(2, "big") + b"HPKE-v1" + suite + name + data, count)

    kem, suite = b"KEM\x00\x20", b"HPKE\x00\x20\x00\x01\x00\x02"
    sender = X25519PrivateKey.from_private_bytes(ephemeral)
    encapsulated = raw(sender.public_key())
    agreed = sender.exchange(X25519PublicKey.from_public_bytes(public))
    prk = extract(kem, b"", b"eae_prk", agreed)
    shared = expand_labelled(kem, prk, b"shared_secret", encapsulated + public, 32)
    context = ((b"\x01" if psk else b"\x00") + extract(suite, b"", b"psk_id_hash", psk_id)
               + extract(suite, b"", b"info_hash", info))
    secret = extract(suite, shared, b"secret", psk)
    key = expand_labelled(suite, secret, b"key", context, 32)
    nonce = expand_labelled(suite, secret, b"base_nonce", context, 12)
    return encapsulated + AESGCM(key).encrypt(nonce, text, b"")


# The Account Key's text: the check symbols found by trying, since the code has just one word for the data.
# RFC 9180 section 7.1.3, DeriveKeyPair for X25519.
def derive_key_pair(seed):
    prefix = b"HPKE-v1KEM\x00\x20"
    key = mac(bytes(32), prefix + b"dkp_prk" + seed)
    return expand(key, b"\x00\x20" + prefix + b"sk", 32)


def account_key_text(key):
    powers = [1]
    while len(powers) < 31:
        doubled = powers[-1] << 1
        powers.append(doubled ^ 37 if doubled & 32 else doubled)

    def times(a, b):
        return powers[(powers.index(a) + powers.index(b)) % 31] if a and b else 0

    number = int.from_bytes(key, "big")
    word = [(number >> (5 * (25 - i))) & 31 for i in range(26)] + [0] * 4
    # Four equations: the word's value at a, a^2, a^3, a^4 is zero. Solved by Gaussian elimination.
    rows = []
    for root in range(1, 5):
        point = powers[root]
        value = 0
        for symbol in word:
            value = times(value, point) ^ symbol
        rows.append([powers[root * (3 - i) % 31] for i in range(4)] + [value])
    for column in range(4):
        pivot = next(r for r in range(column, 4) if rows[r][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        inverse = powers[(31 - powers.index(rows[column][column])) % 31]
        rows[column] = [times(v, inverse) for v in rows[column]]
        for r in range(4):
            if r != column and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [v ^ times(factor, w) for v, w in zip(rows[r], rows[column])]
    word[26:] = [row[4] for row in rows]
    text = "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[s] for s in word)
    return "K1-" + "-".join(text[i:i + 5] for i in range(0, 30, 5))


class Keys:
    def __init__(self, seed, agreement):
        self.signing = Ed25519PrivateKey.from_private_bytes(seed)
        self.agreement = agreement
        self.public = raw(self.signing.public_key())
        self.agree_public = raw(X25519PrivateKey.from_private_bytes(agreement).public_key())
        self.id = sha(self.public)[:16]

    def member(self, kind, name_box, version, by):
        return E(self.id, kind, self.public, self.agree_public, name_box, version, by)


def credentials(password, key, log_n):
    salt = K(mac(b"K1", key), "K1 salt")
    normal = unicodedata.normalize("NFKD", password).encode()
    stretched = hashlib.scrypt(normal, salt=salt, n=1 << log_n, r=8, p=1, maxmem=1 << 28, dklen=32)
    master = mac(b"K1", stretched + key)
    keys = Keys(K(master, "credentials sign"), K(master, "credentials agree"))
    keys.wrap = K(master, "credentials wrap")
    return keys


def entry(account, version, previous, operation, members, ring, name_envelopes, author, check):
    signed = lambda envelopes_hash: label("entry") + E(
        account, version, previous, operation, [m for _, m in sorted(members)], 1, check, [],
        bytes(32), [], 1, 1, envelopes_hash, author.id)
    return signed(sha(E([E(i, s) for i, s in sorted(name_envelopes)])))


def main():
    out = {}

    def put(name, **fields):
        out[name] = {k: v.hex() if isinstance(v, bytes) else v for k, v in fields.items()}

    put("box", key=seq(1), context=b"context", text=b"hello", randomness=seq(64),
        box=box(seq(1), "record", b"context", b"hello", seq(64)))

    account_key = seq(0xF0, 16)
    text = account_key_text(account_key)
    put("account key", bytes=account_key, text=text)

    password = "Grüße \ufb01n de siècle"
    for name, log_n in (("credentials K1", 17), ("credentials cheap", 4)):
        keys = credentials(password, account_key, log_n)
        put(name, password=password.encode(), accountKey=account_key, member=keys.id,
            signing=keys.public, agreement=keys.agree_public)
    member = credentials(password, account_key, 4)

    account = seq(0xA0, 16)
    index, hedge, root = seq(10), seq(50), seq(90)
    ring = label("key ring") + E(index, hedge, [E(1, root)])
    check = K(root, "check")
    key_text = b"canonical key"
    put("key ring", encoded=ring, check=check, digest=K(root, "digest"), key=key_text,
        keychainID=mac(index, label("record id") + E(1, key_text)),
        keyValueID=mac(index, label("record id") + E(2, key_text)))

    records = {}
    for name, kind, tombstone in (("record keychain", 1, 0), ("record kv", 2, 1)):
        record = mac(index, label("record id") + E(kind, key_text))
        replaced = [n(3) + n(4), n(7) + n(1)]
        context = E(1, account, record, 7, 2, replaced, 1, tombstone, kind)
        sealed = box(K(root, name), "record", context, b"item", seq(128))
        put(name, account=account, recordID=record, context=context, text=b"item", randomness=seq(128),
            box=sealed)
        records[name] = (record, replaced, tombstone, sealed)

    device = Keys(seq(0x11), seq(0x31))
    phone = Keys(seq(0x51), seq(0x71))
    put("device keys", encoded=label("device keys") + E(seq(0x11), seq(0x31)), member=device.id,
        signing=device.public, agreement=device.agree_public)

    def name_box(keys, name, randomness):
        return box(K(root, "names"), "names", E(account, keys.id), name.encode(), randomness)

    def envelopes(keys_list, version, previous):
        result = []
        for keys in sorted(keys_list, key=lambda k: k.id):
            info = label("ring") + E(account, version, previous, keys.id, 1)
            seed = K_at(root, "envelope ephemeral", E(version, previous, keys.id, sha(ring)))
            result.append((keys.id, hpke_psk(keys.agree_public, derive_key_pair(seed), hedge,
                                             b"ring", info, ring)))
        return result

    def signatures(signed, signers):
        return [(k.id, k.signing.sign(signed)) for k in sorted(signers, key=lambda k: k.id)]

    def put_entry(name, signed, signed_by, possession, sealed, credentials_box):
        put(name, signed=signed, possession=possession, credentialsBox=credentials_box,
            signatures=[{"member": i.hex(), "signature": s.hex()} for i, s in signed_by],
            envelopes=[{"member": i.hex(), "sealed": s.hex()} for i, s in sealed],
            hash=sha(signed + b"".join(s for _, s in signed_by)))

    def note(version, entry_hash):
        return box(member.wrap, "credentials", E(account, member.public),
                   E(hedge, version, entry_hash, K(index, "check")), seq(16))

    laptop = (device.id, device.member(1, name_box(device, "laptop", seq(32)), 1, device.id))
    login = (member.id, member.member(2, b"", 1, device.id))
    sealed = envelopes([device, member], 1, bytes(32))
    first = entry(account, 1, bytes(32), 1, [laptop, login], ring, sealed, device, check)
    first_by = signatures(first, [device, member])
    first_hash = sha(first + b"".join(s for _, s in first_by))
    put_entry("genesis", first, first_by, b"", sealed, note(1, first_hash))

    possession = phone.signing.sign(
        label("possession") + E(account, first_hash, phone.public, phone.agree_public))
    added = (phone.id, phone.member(1, name_box(phone, "phone", seq(48)), 2, member.id))
    sealed = envelopes([device, member, phone], 2, first_hash)
    second = entry(account, 2, first_hash, 2, [laptop, login, added], ring, sealed, member, check)
    second_by = signatures(second, [member])
    put_entry("added device", second, second_by, possession, sealed,
              note(2, sha(second + b"".join(s for _, s in second_by))))

    statement = label("session") + E("session", "https://sync.example.org:8443", account, device.id,
                                     seq(5), 1234567890, sha(b""))
    put("session", account=account, nonce=seq(5), bodyHash=sha(b""), member=device.id,
        signed=statement, signature=device.signing.sign(statement))

    shown = label("history") + E(account, device.id, seq(0xB0, 16), 77, seq(9, 8), seq(5), 1234567890)
    put("history", account=account, epoch=seq(0xB0, 16), tag=seq(9, 8), nonce=seq(5),
        signed=shown, signature=device.signing.sign(shown))

    record, replaced, tombstone, sealed_record = records["record keychain"]
    chain = sha(E(seq(77)) + E(record, 7, 2, replaced, tombstone, 1, sha(sealed_record)))
    header = label("batch") + E(account, seq(0xB0, 16), 2, 1, 7, 2, 1, seq(77), chain)
    put("batch", epoch=seq(0xB0, 16), previousChain=seq(77), signed=header,
        signature=device.signing.sign(header))

    home, secret = seq(0xC0, 16), seq(0xD0)
    body = label("device secret") + E(1, home, secret)

    def key_bag(version, passcode_fields, boxes):
        agreement = X25519PrivateKey.from_private_bytes(K(class_keys[1], "file agree"))
        fields = label("key bag") + E(1, home, version, *passcode_fields, boxes,
                                      raw(agreement.public_key()))
        return fields + L(mac(K(secret, "key bag"), fields))

    boxes, class_keys = [], {}
    for number in range(1, 8):
        tier = 1 if number in (3, 6) else 2
        class_keys[number] = seq(number)
        sealed_key = b"" if number == 7 else box(
            K(secret, "tier device" if tier == 1 else "tier passcode"), "class key",
            E(home, number, 1), class_keys[number], seq(number + 8))
        boxes.append(E(number, tier, sealed_key))
    pins = label("device pins") + E(1, 0x0102030405060708, 2, seq(3))
    row_context = E(seq(1, 16), 2, "items", 1, "app.one", seq(2, 16), 1)
    search = mac(K(class_keys[2], "search"), E("items", "acct"))
    search_always = mac(K(K(secret, "tier device"), "search"), E("items", "acct"))
    put("local files", deviceSecret=body + L(sha(body)),
        keyBag=key_bag(1, (0, b"", 0, 0, 0), boxes),
        devicePins=pins + L(mac(K(secret, "device pins"), pins)), deviceID=home,
        rowText=b"row secret", row=box(class_keys[1], "row", row_context, b"row secret", seq(9)),
        searchValue=b"value", searchToken=mac(search, n(4) + b"value")[:16],
        searchTokenAlways=mac(search_always, n(4) + b"value")[:16])

    passcode, salt = "p\u00e4ss 1234".encode(), seq(0x51)
    stretched = hashlib.scrypt(unicodedata.normalize("NFKD", passcode.decode()).encode(), salt=salt,
                               n=1 << 17, r=8, p=1, maxmem=1 << 28, dklen=32)
    passcode_tier = K(mac(b"P1", stretched + secret), "tier passcode")
    boxes = []
    for number in range(1, 8):
        tier = 1 if number in (3, 6) else 2
        boxes.append(E(number, tier, box(
            K(secret, "tier device") if tier == 1 else passcode_tier, "class key",
            E(home, number, 5), class_keys[number], seq(number + 8))))
    agreement = X25519PrivateKey.from_private_bytes(K(class_keys[1], "file agree"))
    row_context = E(seq(1, 16), 2, "items", 7, "app.one", seq(2, 16), 1)
    put("local files with a passcode", deviceSecret=body + L(sha(body)),
        keyBag=key_bag(5, (1, salt, 17, 8, 1), boxes), passcode=passcode,
        rowText=b"row secret", row=box(class_keys[7], "row", row_context, b"row secret", seq(9)))

    contents, sealed_files = bytes(i * 7 % 251 for i in range(300)), {}
    for level, name, number in ((1, "complete", 1), (2, "unlessOpen", 1), (3, "untilFirstUnlock", 2),
                                (4, "none", 3)):
        file_id, file_key = seq(level, 16), seq(level + 100)
        if level == 2:
            sealed_key = hpke_psk(raw(agreement.public_key()), seq(0x77), b"", b"",
                                  label("file") + L(file_id), file_key)
        else:
            sealed_key = box(class_keys[number], "file key", E(home, file_id, level), file_key, seq(9))
        fields = label("protected file") + E(1, home, file_id, level, sealed_key)
        header = fields + sha(fields)
        content_key = expand(file_key, label("file content") + L(sha(header)), 32)
        chunks = [contents[i:i + (64 << 10)] for i in range(0, len(contents), 64 << 10)]
        sealed_files[name] = header + b"".join(
            AESGCM(content_key).encrypt(bytes(3) + n(i) + bytes([i == len(chunks) - 1]), chunk, b"")
            for i, chunk in enumerate(chunks))
    put("protected files", contents=contents, **sealed_files)

    passphrase, backup_id, salt = b"correct horse battery", seq(0x10, 16), seq(0x20)
    backup_key = hashlib.scrypt(passphrase, salt=salt, n=1 << 17, r=8, p=1, maxmem=1 << 28, dklen=32)
    fields = label("backup") + E(1, backup_id, salt, 17, 8, 1)
    fields += mac(K(backup_key, "backup check"), fields)
    part = box(backup_key, "backup", E(backup_id, 0, 1), E([L(b"an entry"), L(b"")]), seq(9))
    put("backup", passphrase=passphrase, entry=b"an entry", file=fields + sha(fields) + L(part))

    json.dump(out, sys.stdout, indent=1)
    print()


main()
