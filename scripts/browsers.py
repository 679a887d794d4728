"""Drives the real Firefox and Chromium for check-browsers: each imports and exports a file.

Both run with a profile and a home in a temporary folder and reach no network.
"""
import collections, itertools, json, os, select, socket, subprocess, time
from file_portal import FilePortal

# Nothing listens there: what a browser wants from the network fails at once.
NOWHERE = "127.0.0.1:9"


def finish(process):
    """Waits for a process to end, and ends it after half a minute."""
    try:
        process.wait(30)
        return
    except subprocess.TimeoutExpired:
        process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Firefox:
    """A headless Firefox that is driven by Marionette's JSON over a socket."""

    SETTINGS = {
        "marionette.port": 0,
        "network.proxy.type": 1,
        "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9,
        "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9,
        "network.proxy.no_proxies_on": "",
        "browser.shell.checkDefaultBrowser": False,
        "datareporting.policy.dataSubmissionEnabled": False,
    }

    def __init__(self, folder):
        profile = folder / "firefox"
        profile.mkdir(parents=True, exist_ok=True)
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
                 for name, value in self.SETTINGS.items()]
        (profile / "user.js").write_text("".join(lines))
        port = profile / "MarionetteActivePort"
        port.unlink(missing_ok=True)
        # Chrome code may only be run by one who starts it with this option.
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--profile", profile, "--marionette",
             "--remote-allow-system-access"],
            env={**os.environ, "HOME": str(folder), "MOZ_CRASHREPORTER_DISABLE": "1"},
            stdin=subprocess.DEVNULL, stdout=(folder / "firefox.log").open("a"),
            stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + 120
            while not port.exists() or not port.read_text().strip():
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise RuntimeError("Firefox did not start")
                time.sleep(0.1)
            self.socket = socket.create_connection(
                ("127.0.0.1", int(port.read_text())), timeout=120)
            self.numbers = itertools.count(1)
            self.receive()
            self.send("WebDriver:NewSession", {})
            self.send("Marionette:SetContext", {"value": "chrome"})
        except BaseException:
            self.process.terminate()
            finish(self.process)
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            # Firefox writes what it has before it ends this way.
            self.send("Marionette:Quit", {"flags": ["eForceQuit"]})
        finally:
            self.socket.close()
            finish(self.process)

    def receive(self):
        """A message is its length in decimal digits, a colon, and JSON."""
        length = b""
        while not length.endswith(b":"):
            length += self.take(1)
        return json.loads(self.take(int(length[:-1])))

    def take(self, count):
        taken = b""
        while len(taken) < count:
            part = self.socket.recv(count - len(taken))
            if not part:
                raise RuntimeError("Firefox ended")
            taken += part
        return taken

    def send(self, command, parameters):
        text = json.dumps([0, next(self.numbers), command, parameters]).encode()
        self.socket.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, result = self.receive()
        if error:
            raise RuntimeError(f"Firefox: {error}")
        return result

    def run(self, script, *arguments):
        """The value that the body of an asynchronous function returns."""
        text = ("const done = arguments[arguments.length - 1];"
                "(async (...given) => {" + script + "})(...arguments)"
                ".then(value => done({value}), error => done({error: String(error)}));")
        answer = self.send("WebDriver:ExecuteAsyncScript",
                           {"script": text, "args": list(arguments), "sandbox": None})["value"]
        if "error" in answer:
            raise RuntimeError(f"Firefox: {answer['error']}")
        return answer.get("value")

    def version(self):
        return self.run("return Services.appinfo.version")

    def read(self, file):
        """Imports a file as `about:logins` does; returns what Firefox says about its rows."""
        results = self.run("""
            const {LoginCSVImport} = ChromeUtils.importESModule(
                "resource://gre/modules/LoginCSVImport.sys.mjs");
            return (await LoginCSVImport.importFromCSV(given[0])).map(row => row.result);
            """, str(file))
        return ", ".join(f"{count} {result}"
                         for result, count in collections.Counter(results).items())

    def write(self, file):
        self.run("""
            const {LoginExport} = ChromeUtils.importESModule(
                "resource://gre/modules/LoginExport.sys.mjs");
            await LoginExport.exportAsCSV(given[0]);
            """, str(file))
        return file

    def save(self, logins):
        """Saves logins as a page's form or an HTTP login does."""
        self.run("""
            for (const login of given[0]) {
                const info = Cc["@mozilla.org/login-manager/loginInfo;1"]
                    .createInstance(Ci.nsILoginInfo);
                info.init(login.url, login.form, login.realm, login.userName, login.password,
                          "", "");
                info.QueryInterface(Ci.nsILoginMetaInfo);
                info.timeCreated = login.created;
                info.timeLastUsed = info.timePasswordChanged = login.changed;
                await Services.logins.addLoginAsync(info);
            }
            """, logins)


class Chromium:
    """A Chromium in a virtual display that is driven by the DevTools protocol over two pipes."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.portal = FilePortal()
        environment = {**os.environ, "HOME": str(folder),
                       "DBUS_SESSION_BUS_ADDRESS": self.portal.address}
        for name in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "WAYLAND_DISPLAY"]:
            environment.pop(name, None)
        options = ["--remote-debugging-pipe", f"--user-data-dir={folder / 'chromium'}",
                   "--password-store=basic", "--no-first-run", f"--proxy-server={NOWHERE}",
                   "--disable-gpu", "--ozone-platform=x11", "--disable-component-update"]
        if os.getuid() == 0:
            options.append("--no-sandbox")
        theirs_in, self.output = os.pipe()
        self.input, theirs_out = os.pipe()

        # Chromium reads the protocol from 3 and writes it to 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec 3<&{theirs_in} 4>&{theirs_out}; exec "$0" "$@"', "chromium",
             *options], env=environment,
            pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL,
            stdout=(folder / "chromium.log").open("a"), stderr=subprocess.STDOUT)
        os.close(theirs_in)
        os.close(theirs_out)
        self.numbers = itertools.count(1)
        self.rest = b""
        try:
            self.attach()
        except BaseException:
            self.close()
            raise

    def attach(self):
        """Opens the page of the password manager, and talks to it from then on."""
        self.session = None
        page = self.send("Target.createTarget", url="chrome://password-manager/settings")
        self.session = self.send(
            "Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        while not self.run("return typeof chrome.passwordsPrivate == 'object'"):
            time.sleep(0.1)
        self.settle()

    def settle(self):
        """Waits until the number of logins stays the same for a second.

        Until it has loaded them it exports none, and what it does not list yet may not be stored.
        """
        counts = [-1] * 10
        while len(set(counts)) > 1 or counts[0] < 0:
            time.sleep(0.1)
            counts = counts[1:] + [self.run(
                "return (await chrome.passwordsPrivate.getSavedPasswordList()).length")]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            # Chromium writes what it has before it ends this way.
            self.session = None
            self.send("Browser.close")
        finally:
            self.close()

    def close(self):
        # Without the pipes it ends, too.
        os.close(self.input)
        os.close(self.output)
        finish(self.process)
        self.portal.close()

    def send(self, method, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            message = json.loads(self.receive())
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"Chromium: {message['error']['message']}")
                return message["result"]

    def receive(self):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.input], [], [], 120)
            part = os.read(self.input, 65536) if ready else b""
            if not part:
                raise RuntimeError("Chromium ended or does not answer")
            self.rest += part
        message, _, self.rest = self.rest.partition(b"\0")
        return message

    def run(self, script, *arguments):
        """The value that the body of an asynchronous function returns."""
        text = f"(async (...given) => {{{script}}})(...{json.dumps(arguments)})"
        answer = self.send("Runtime.evaluate", expression=text, awaitPromise=True,
                           returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError("Chromium: " + str(details.get("exception", details)))
        return answer["result"].get("value")

    def version(self):
        return self.send("Browser.getVersion")["product"].partition("/")[2]

    def read(self, file):
        """Imports a file as its settings do; returns Chromium's word on it."""
        self.portal.file = file
        result = self.run("""
            const store = chrome.passwordsPrivate.PasswordStoreSet.DEVICE;
            await chrome.passwordsPrivate.resetImporter(false);
            return await chrome.passwordsPrivate.importPasswords(store);
            """)
        self.settle()
        return f"{result['numberImported']} imported, {result['status']}"

    def write(self, file):
        self.portal.file = file
        self.run("await chrome.passwordsPrivate.exportPasswords()")
        # It says NOT_STARTED also when it is done: the file is complete when it stops growing.
        deadline, sizes = time.monotonic() + 60, [0] * 5
        while sizes[0] == 0 or sizes[0] != sizes[-1]:
            if time.monotonic() > deadline:
                raise RuntimeError("Chromium does not export")
            time.sleep(0.1)
            sizes = sizes[1:] + [file.stat().st_size if file.exists() else 0]
        return file

    def save(self, logins):
        """Saves logins as its own page for a new password does."""
        self.run("""
            for (const login of given[0]) {
                // It refuses passwords until its store is open.
                for (let attempt = 0; ; attempt++) {
                    try {
                        await chrome.passwordsPrivate.addPassword({
                            url: login.url, username: login.userName, password: login.password,
                            note: login.note, useAccountStore: false});
                        break;
                    } catch (error) {
                        if (attempt == 50) throw new Error(login.url + ": " + error);
                        await new Promise(done => setTimeout(done, 100));
                    }
                }
            }
            """, logins)
        self.settle()
