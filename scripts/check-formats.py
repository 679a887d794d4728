"""Compares values between `keychain convert` and other programs; see check-formats.

check-formats.py KEYCHAIN FOLDER
"""
import base64, hashlib, json, pathlib, subprocess, sys
from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives import hashes, hmac, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from pykeepass import PyKeePass

keychain, work = sys.argv[1], pathlib.Path(sys.argv[2])
files = pathlib.Path("Tests/Device/MovingTests/Files")
password = "correct horse"
(work / "password").write_text(password + "\n")
equal, different = 0, 0


def same(what, one, other):
    global equal, different
    if one == other:
        equal += 1
    else:
        different += 1
        print(f"DIFFERS  {what}: {one!r} is not {other!r}")


def keepassxc(*words, answer=password + "\n"):
    run = subprocess.run(["keepassxc-cli", *words], input=answer, text=True, capture_output=True)
    same(f"status of keepassxc-cli {words[0]} ({run.stderr.strip()})", run.returncode, 0)
    return run.stdout


def convert(source, target, *options, losses=False):
    target.unlink(missing_ok=True)
    run = subprocess.run([keychain, "convert", str(source), str(target), *map(str, options)],
                         text=True, capture_output=True, stdin=subprocess.DEVNULL)
    same(f"status of convert {source} ({run.stderr.strip()})", run.returncode, 1 if losses else 0)
    return target


def ours(source, *options, losses=False):
    """The entries of a file by their titles, as `keychain convert` reads them."""
    target = convert(source, work / "read.json", "--format", "keychain-sync", *options,
                     losses=losses)
    return {item["title"]: item for item in json.loads(target.read_text())["items"]}


def fields(item):
    return {field["name"]: field.get("value", field.get("valueBase64"))
            for field in item.get("fields", [])}


code = "otpauth://totp/a:ann?secret=JBSWY3DPEHPK3PXP&issuer=a"
item = {
    "type": "login", "title": "Mail <&> ümläut", "userName": "ann", "password": "p\"<&>' 3",
    "note": "line 1\nline 2", "tags": ["Work/Servers", "urgent", "two words"],
    "addresses": [{"url": "https://a.example/x", "match": "domain"},
                  {"url": "https://b.example", "match": "domain"}],
    "fields": [{"name": "pin", "kind": "secret", "value": "0815"},
               {"name": "Color", "kind": "text", "value": "blue"},
               {"name": "one-time code", "kind": "otp", "value": code},
               {"name": "expires", "kind": "text", "value": "2027-05-31T21:59:58Z"},
               {"name": "key.bin", "kind": "file",
                "valueBase64": base64.b64encode(bytes(range(256))).decode()}],
    "created": "2026-11-01T10:00:00.000Z", "changed": "2026-11-04T10:00:00.000Z",
    "history": [{"what": "password", "value": "p2", "time": "2026-11-02T10:00:00.000Z"},
                {"what": "password", "value": "p1", "time": "2026-11-01T10:00:00.000Z"}],
}
text = {"type": "note", "title": "A text", "password": "only this\n"}
vault = work / "vault.json"
vault.write_text(json.dumps({"format": "keychain-sync", "version": 1, "items": [item, text]}))

# What we write, as pykeepass and KeePassXC see it.
new = ["--new-password-file", work / "password"]
base = convert(vault, work / "ours.kdbx", "--format", "kdbx", *new)
path = f"Work/Servers/{item['title']}"


def check_pykeepass(name, expected_password, history):
    opened = PyKeePass(str(name), password=password)
    mail = opened.find_entries(title=item["title"], first=True)
    same("group", mail.group.path, ["Work", "Servers"])
    same("user name", mail.username, item["userName"])
    same("password", mail.password, expected_password)
    same("address", mail.url, "https://a.example/x")
    same("note", mail.notes, item["note"])
    # KeePassXC sorts them.
    same("tags", sorted(mail.tags), ["two words", "urgent"])
    same("code", mail.otp, code)
    same("hidden field", mail.get_custom_property("pin"), "0815")
    same("protection", mail.is_custom_property_protected("pin"), True)
    same("text field", mail.get_custom_property("Color"), "blue")
    same("further address", mail.get_custom_property("KP2A_URL_1"), "https://b.example")
    same("attachment", [(a.filename, a.data) for a in mail.attachments],
         [("key.bin", bytes(range(256)))])
    same("expiry", (mail.expires, mail.expiry_time.isoformat()),
         (True, "2027-05-31T21:59:58+00:00"))
    same("creation", mail.ctime.isoformat(), "2026-11-01T10:00:00+00:00")
    same("history", [entry.password for entry in mail.history], history)
    note = opened.find_entries(title="A text", first=True)
    same("text", note.notes, "only this\n")
    return opened, mail


def check_keepassxc(name, expected_password):
    def show(attribute):
        return keepassxc("show", "-q", "-s", "-a", attribute, str(name), path)[:-1]
    same("group", "Work/Servers/" in keepassxc("ls", "-q", "-R", "-f", str(name)), True)
    for attribute, value in [("UserName", "ann"), ("Password", expected_password),
                             ("URL", "https://a.example/x"), ("Notes", item["note"]),
                             ("pin", "0815"), ("Color", "blue"), ("otp", code)]:
        same(attribute, show(attribute), value)
    same("code", len(keepassxc("show", "-q", "-t", str(name), path).strip()), 6)
    keepassxc("attachment-export", "-q", str(name), path, "key.bin", str(work / "key.bin"))
    same("attachment", (work / "key.bin").read_bytes(), bytes(range(256)))
    shown = keepassxc("show", "-q", str(name), path)
    same("tags", "urgent" in shown and "two words" in shown, True)


check_pykeepass(base, item["password"], ["p1", "p2"])
check_keepassxc(base, item["password"])
back = ours(base, "--password-file", work / "password")
for name in ["userName", "password", "note", "tags", "addresses", "created", "changed", "history"]:
    same(f"{name} of our own file", back[item["title"]][name], item[name])
same("fields of our own file", fields(back[item["title"]]), fields(item))

# Each program changes our file; the others read it.
keepassxc("edit", "-q", "-p", str(base), path, answer=f"{password}\np4\n")
opened, mail = check_pykeepass(base, "p4", ["p1", "p2", item["password"]])
back = ours(base, "--password-file", work / "password")[item["title"]]
same("password that KeePassXC changed", back["password"], "p4")
same("its history", [earlier["value"] for earlier in back["history"]],
     [item["password"], "p2", "p1"])
mail.save_history()
mail.password = "p5"
mail.touch(modify=True)
opened.save()
check_keepassxc(base, "p5")
same("password that pykeepass changed",
     ours(base, "--password-file", work / "password")[item["title"]]["password"], "p5")

# With a key file.
keyed = convert(vault, work / "keyed.kdbx", "--format", "kdbx", *new, "--new-key-file",
                files / "key-any.jpg")
same("entries with a key file",
     len(PyKeePass(str(keyed), password=password, keyfile=str(files / "key-any.jpg")).entries), 2)
keepassxc("ls", "-q", "-k", str(files / "key-any.jpg"), str(keyed))

# What they write, as we see it.
made = work / "made"
made.mkdir()
subprocess.run([sys.executable, files / "make-keepass", made], check=True)
for file in sorted(made.glob("*.kdbx")):
    key = next((f for f in made.iterdir() if f.stem == file.stem and f != file), None)
    options = [] if file.stem == "key-raw" else ["--password-file", work / "password"]
    if key and key.suffix != ".xml":
        options += ["--key-file", key]
    entry = ours(file, *options, losses="31" not in file.stem)["Mail"]
    if "31" in file.stem:
        same(f"password of {file.name}", entry["password"], "pw-2")
        same(f"attachment of {file.name}", fields(entry)["hello.txt"], "hello " * 100)
        continue
    theirs = PyKeePass(str(file), password=None if file.stem == "key-raw" else password,
                       keyfile=str(key) if key and key.suffix != ".xml" else None)
    mail = theirs.find_entries(title="Mail", first=True)
    for name, value in [("userName", mail.username), ("password", mail.password),
                        ("note", mail.notes), ("tags", ["Work/Servers", *mail.tags])]:
        same(f"{name} of {file.name}", entry[name], value)
    same(f"expiry of {file.name}", fields(entry)["expires"],
         mail.expiry_time.isoformat().replace("+00:00", "Z"))
    same(f"history of {file.name}", [e["value"] for e in entry["history"]],
         ["4711", "pw-2", "Post", "pw-1"])

# Bitwarden's encrypted file, opened without our code.
sealed = json.loads(convert(vault, work / "ours.json", "--format", "bitwarden-encrypted", *new,
                            losses=True).read_text())
key = hash_secret_raw(password.encode(), hashlib.sha256(sealed["salt"].encode()).digest(),
                      time_cost=sealed["kdfIterations"], memory_cost=sealed["kdfMemory"] * 1024,
                      parallelism=sealed["kdfParallelism"], hash_len=32, type=Type.ID)


def expand(info):
    return HKDFExpand(algorithm=hashes.SHA256(), length=32, info=info).derive(key)


for member in ["encKeyValidation_DO_NOT_EDIT", "data"]:
    vector, contents, tag = map(base64.b64decode, sealed[member][2:].split("|"))
    check = hmac.HMAC(expand(b"mac"), hashes.SHA256())
    check.update(vector + contents)
    check.verify(tag)
    decryptor = Cipher(algorithms.AES(expand(b"enc")), modes.CBC(vector)).decryptor()
    unpadder = padding.PKCS7(128).unpadder()
    opened = unpadder.update(decryptor.update(contents) + decryptor.finalize())
    opened += unpadder.finalize()
login = json.loads(opened)["items"][0]["login"]
same("Bitwarden's password", login["password"], item["password"])
same("Bitwarden's user name", login["username"], item["userName"])

print(f"{equal} values are the same, {different} differ")
sys.exit(1 if different else 0)
