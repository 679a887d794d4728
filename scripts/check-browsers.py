"""Moves logins through the real Firefox and Chromium, and counts what comes back; see
check-browsers.

check-browsers.py PROGRAMS FOLDER
"""
import csv, datetime, json, pathlib, re, sqlite3, string, subprocess, sys
import urllib.parse
from browsers import Chromium, Firefox

programs, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
files = pathlib.Path(__file__).with_name("check-browsers.json")
saves = pathlib.Path(__file__).with_name("check-browsers-saves.json")
failures = 0


class Tally:
    """Counts the values of one step."""

    def __init__(self, name):
        self.name, self.same, self.named, self.lost = name, 0, 0, {}

    def lose(self, part, text):
        self.lost.setdefault(part, []).append(text)

    def check(self, what, one, other):
        if one == other:
            self.same += 1
        else:
            self.lose(what, f"{one!r} became {other!r}")

    def compare(self, before, after, named, made_anew=()):
        """Compares two sets of logins, by their passwords.

        `named` has, by password, what a report names, `None` for all of the login. What is in
        `made_anew` a program makes by itself.
        """
        for password, parts in before.items():
            self.compare_login(parts, after.get(password), named.get(password, set()), made_anew)
        for password in after.keys() - before.keys():
            self.lose("a login that was not there", repr(after[password]))

    def compare_login(self, parts, back, names, made_anew):
        login = f"{parts.get('the address')}, user name {parts['the user name']!r}"
        if back is None:
            # A password that became an earlier one is named as that.
            if None in names or "1 earlier value" in names:
                self.named += len(parts)
            else:
                self.lose("the login", login)
            return
        for part, value in parts.items():
            if back.get(part) == value:
                self.same += 1
            elif part in names or None in names:
                self.named += 1
            else:
                self.lose(part, f"{login}: {value!r} became {back.get(part)!r}")
        if None not in names:
            for part in back.keys() - parts.keys() - set(made_anew):
                self.lose(f"{part}, which is new", f"{login}: {back[part]!r}")

    def report(self):
        global failures
        lost = sum(map(len, self.lost.values()))
        for part, texts in self.lost.items():
            print(f"LOST    {self.name}: {part}, {len(texts)} times, first {texts[0][:300]}")
        failures += lost
        print(f"{self.name}: {self.same} values the same, {self.named} named in the report, "
              f"{lost} lost", flush=True)


# Our programs

def run(program, *words):
    """The answer in JSON, whatever the exit status."""
    ran = subprocess.run([programs / program, *map(str, words), "--json"], text=True,
                         capture_output=True, stdin=subprocess.DEVNULL)
    if not ran.stdout:
        raise RuntimeError(f"{program} {words[0]}: {ran.stderr}")
    return json.loads(ran.stdout)


def convert(source, target, form):
    report = run("keychain", "convert", source, target, "--format", form)
    return report, [pathlib.Path(file) for file in report["files"]]


def items(file):
    """The entries of a file of any program, as ours reads it."""
    target = file.with_name(file.name + ".read.json")
    target.unlink(missing_ok=True)
    convert(file, target, "keychain-sync")
    return json.loads(target.read_text())["items"]


def logins(entries):
    """The values of each login by its password, which is the login's own in all cases here."""
    found = {}
    for item in entries:
        password = item.get("password", "")
        found[f"{password} again" if password in found else password] = parts(item)
    return found


def normal(origin):
    """One form of an origin: letters, ports and names as browsers write them."""
    scheme, _, place = origin.partition("://")
    if scheme.lower() not in ["http", "https"]:
        return origin
    place = place.lower().removesuffix(":443" if scheme == "https" else ":80")
    return f"{scheme.lower()}://{place if place.isascii() else place.encode('idna').decode()}"


def parts(item):
    """The values of an entry, under the names that our reports use."""
    values = {"the user name": item.get("userName", ""), "the password": item.get("password")}
    addresses = [address["url"] for address in item.get("addresses", [])]
    if addresses:
        origin, path = re.fullmatch("([^:]*://[^/?#]*)(.*)", addresses[0], re.DOTALL).groups()
        values["the address"] = normal(origin)
        if path.removeprefix("/"):
            # Browsers write a blank and a quotation mark as %20 and %22.
            path = urllib.parse.quote(path, safe=string.punctuation.replace('"', ""))
            values["the path of its address"] = path if path[0] == "/" else f"/{path}"
    for address in item.get("addresses", [])[:1]:
        if address["match"] != "domain":
            values[f"the rule \"{address['match']}\" of its address"] = True
    for address in addresses[1:]:
        values[f"the address {address}"] = True
    for member, name in [("title", "the title"), ("note", "the note"), ("realm", "the realm"),
                         ("created", "created"), ("changed", "changed"),
                         ("favorite", "the mark of a favorite")]:
        if member in item:
            values[name] = item[member]
    for tag in item.get("tags", []):
        values[f"the tag {tag}"] = True
    kinds = {"otp": "one-time code", "file": "attachment"}
    for field in item.get("fields", []):
        kind = kinds.get(field["kind"], "field")
        values[f"the {kind} {field['name']}"] = field.get("value", field.get("valueBase64"))
    if "history" in item:
        count = len(item["history"])
        values[f"{count} earlier value{'s' if count > 1 else ''}"] = item["history"]
    return values


NEVER = {"the dates of creation and change": ["created", "changed"],
         "the form that sends to its own site": ["the field form sends to"]}
# Parts of parts, by what a report calls them.
PART_OF = {"the empty realm": "the realm", "the user in its address": "the address",
           "the hash in its address": "the address", "the path of its address": "the address"}
WHOLE = {"no_entry", "unknown_type", "type_not_held", "in_trash", "no_password", "no_address",
         "no_name", "not_text", "too_long", "same_login", "row", "too_large"}


def named(report, passwords):
    """What a report names, by the password of the login."""
    names = {password: set() for password in passwords}
    for note in report["notes"]:
        # Rows count from the header.
        first = 2 if note["sentence"].startswith("Row ") else 1
        password = passwords[note["entry"] - first]
        part = PART_OF.get(note["part"], note["part"].removeprefix("the path of "))
        names[password].update({None} if note["reason"] in WHOLE else {part, note["part"]})
    for never in report.get("neverHeld", []):
        for found in names.values():
            found.update(NEVER.get(never["part"], [never["part"]]))
    return names


def join(*reports):
    """What one of several reports names."""
    return {password: set().union(*(report.get(password, set()) for report in reports))
            for password in set().union(*reports)}


# From ours through a browser

def pass_through(browser, name, taken):
    """Has a browser import files, end, start again and export."""
    folder = work / name
    with browser(folder) as program:
        print(f"{browser.__name__} {program.version()} reads")
        for file in taken:
            print(f"    {file.name}: {program.read(file)}")
    with browser(folder) as program:
        return program.write(work / f"{name}.csv")


def check_round_trip(browser, name, form, source, made_anew=()):
    entries = json.loads(source.read_text())["items"]
    report, written = convert(source, work / f"{name}-in.csv", form)
    back = items(pass_through(browser, name, written))
    tally = Tally(f"{name}, {len(entries)} entries in {len(written)} files")
    tally.compare(logins(entries), logins(back),
                  named(report, [item.get("password", "") for item in entries]), made_anew)
    tally.report()


def many():
    """More logins than one file of Chrome may have, and more bytes."""
    entries = [{"type": "login", "userName": f"user {number}", "password": f"pw {number}",
                "note": f"{number} " + "n" * (900 if number < 1070 else 0),
                "addresses": [{"url": f"https://h{number}.example", "match": "domain"}]}
               for number in range(4070)]
    file = work / "many.json"
    file.write_text(json.dumps({"format": "keychain-sync", "version": 1, "items": entries}))
    return file


# From a browser to ours

def saved(login):
    """The values of a login that a browser is told to save."""
    values = {"userName": login["userName"], "password": login["password"],
              "addresses": [{"url": login["url"], "match": "domain"}]}
    for time in ["created", "changed"]:
        if time in login:
            moment = datetime.datetime.fromtimestamp(login[time] / 1000, datetime.timezone.utc)
            values[time] = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if login.get("note"):
        values["note"] = login["note"]
    # The file of Chromium has no realms.
    if login.get("realm") is not None and "form" in login:
        values["realm"] = login["realm"]
    if login.get("form"):
        values["fields"] = [{"name": "form sends to", "kind": "text", "value": login["form"]}]
    return values


class Keychain:
    """A keychain of its own in the folder; its daemon is stopped in the end."""

    def __init__(self, name):
        self.name, self.home, self.exports = name, work / f"{name}-home", 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([programs / "sync-client", "stop", "--home", self.home],
                       capture_output=True)

    def take(self, file):
        return run("sync-client", "import", file, "--home", self.home)

    def export(self, form):
        self.exports += 1
        target = work / f"{self.name}-{self.exports}.{form}"
        report = run("sync-client", "export", target, "--format", form, "--home", self.home)
        return report, [pathlib.Path(file) for file in report["files"]]

    def exported(self):
        _, files = self.export("keychain-sync")
        return json.loads(files[0].read_text())["items"]

    def items(self):
        """What `keychain list` and `show` say, and what only an export has.

        That is the realm, the address where nothing but the site is known, and the time of the
        file that was imported: `show` has the time of the import.
        """
        exported = {(item["title"], item["password"]): item for item in self.exported()}
        found = []
        for item in run("keychain", "list", "--home", self.home):
            shown = run("keychain", "show", item["reference"], "--secrets", "--home", self.home)
            other = exported[shown["title"], shown["password"]]
            if not shown["addresses"]:
                kinds = {each["name"]: each.get("text") for each in other["attributes"]}
                scheme = {"http": "http", "htps": "https"}[kinds["ptcl"]]
                shown["addresses"] = [{"url": f"{scheme}://{shown['place']}", "match": "domain"}]
            # `show` has an empty one where there is none.
            shown.pop("realm", None)
            shown |= {name: other[name] for name in ["realm", "changed"] if name in other}
            found.append({name: value for name, value in shown.items()
                          if value or name in ["userName", "realm"]})
        return found

    def order(self):
        """The passwords in the order in which an export writes the items."""
        return [item["password"] for item in self.exported()]


def rows(file):
    with file.open(newline="") as lines:
        return [row["password"] for row in csv.DictReader(lines)]


def check_import(name, before, file, keychain, made_anew):
    """Imports what a browser has written, twice; returns what the report names."""
    tally = Tally(f"{name} to a keychain")
    report = keychain.take(file)
    names = named(report, rows(file))
    after = keychain.items()
    tally.compare(logins([saved(login) for login in before]), logins(after), names, made_anew)
    second = keychain.take(file)
    tally.check("what a second import adds", 0, second["added"])
    tally.check("what a second import changes", 0, second["changed"])
    tally.check("the items after a second import", after, keychain.items())
    tally.report()
    return names


def save_in_firefox(before):
    with Firefox(work / "firefox-own") as firefox:
        firefox.save(before)
    with Firefox(work / "firefox-own") as firefox:
        return firefox.write(work / "firefox-own.csv")


def save_in_chromium(before):
    folder = work / "chromium-own"
    with Chromium(folder) as chromium:
        chromium.save([{**login, "url": login.get("first", login["url"])} for login in before])
    # What a page's HTTP login would save: Chromium's own page for a password has no realm.
    with sqlite3.connect(folder / "chromium" / "Default" / "Login Data") as store:
        for login in before:
            if "realm" in login:
                origin = "/".join(login["url"].split("/")[:3])
                changed = store.execute(
                    "UPDATE logins SET scheme = 1, origin_url = ?, signon_realm = ?"
                    " WHERE origin_url = ?",
                    (login["url"], f"{origin}/{login['realm']}", login["first"]))
                if changed.rowcount != 1:
                    raise RuntimeError(f"Chromium has not stored {login['first']}")
    store.close()
    with Chromium(folder) as chromium:
        return chromium.write(work / "chromium-own.csv")


# Somebody who moves from Firefox to Chromium, and back

def check_moving(keychain, original, names):
    before = keychain.items()
    report, written = keychain.export("chrome")
    there = pass_through(Chromium, "moved", written)
    names = join(names, named(report, keychain.order()))
    tally = Tally("firefox to a keychain to chromium")
    tally.compare(logins(items(original)), logins(items(there)), names,
                  ["the title"])
    tally.report()

    tally = Tally("chromium to the same keychain")
    taken = keychain.take(there)
    tally.check("what an import adds", 0, taken["added"])
    tally.check("what an import changes", 0, taken["changed"])
    tally.compare(logins(before), logins(keychain.items()), {})
    tally.report()

    report, written = convert(there, work / "back-in.csv", "firefox")
    back = pass_through(Firefox, "back", written)
    names = join(names, named(report, rows(there)))
    tally = Tally("firefox to a keychain to chromium to firefox")
    tally.compare(logins(items(original)), logins(items(back)), names)
    tally.report()


TIMES = ["created", "changed"]
check_round_trip(Firefox, "firefox", "firefox", files, TIMES)
check_round_trip(Chromium, "chromium", "chrome", files, ["the title"])
check_round_trip(Chromium, "chromium-many", "chrome", many(), ["the title"])
chosen = json.loads(saves.read_text())
with Keychain("chromium-own") as keychain:
    own = save_in_chromium(chosen["chromium"])
    check_import("chromium", chosen["chromium"], own, keychain, [*TIMES, "the title"])
with Keychain("firefox-own") as keychain:
    own = save_in_firefox(chosen["firefox"])
    names = check_import("firefox", chosen["firefox"], own, keychain, ["the title"])
    check_moving(keychain, own, names)
sys.exit(1 if failures else 0)
