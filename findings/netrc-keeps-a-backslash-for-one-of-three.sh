#!/usr/bin/env bash
# One line of `.netrc` gives three programs different passwords. curl takes a backslash as itself,
# wget and Python's netrc drop it. Of a password that begins with `#` curl sends nothing, and wget
# does not log in. The three agree on a password in quotes whose backslashes are doubled. One would
# take a password without blanks and quotes for plain text.
#
# `keychain inject` (docs/Everyday.md) fills in a value as it is: a password that it writes into a
# .netrc should have neither character.
# Debian 12: curl 7.88.1-10+deb12u15, wget 1.21.3-1+deb12u1, with the Python of the machine (3.11
# or later).
set -euo pipefail

folder=$(mktemp -d)
server=
end() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf "$folder"
}
trap end EXIT
mkdir -p "$folder/archives/partial" "$folder/root" "$folder/home"
apt-get -qq -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/archives" \
    install --download-only --reinstall --no-install-recommends -y curl=7.88.1-10+deb12u15 \
    libcurl4=7.88.1-10+deb12u15 wget=1.21.3-1+deb12u1 >/dev/null
for package in "$folder"/archives/*.deb; do dpkg -x "$package" "$folder/root"; done
cd "$folder"
export HOME=$folder/home no_proxy=127.0.0.1
of_debian() {
    LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu "$folder/root/usr/bin/$1" "${@:2}"
}
of_debian curl --version | head -n 1
of_debian wget --version | head -n 1
python3 --version

# A server that answers with the password it was given.
cat >server.py <<'PYTHON'
import base64
import http.server


class Echo(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        login = self.headers.get("Authorization")
        self.send_response(200 if login else 401)
        self.send_header("WWW-Authenticate", 'Basic realm="echo"')
        self.end_headers()
        if login:
            self.wfile.write(base64.b64decode(login.split()[1]).partition(b":")[2])

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
print(server.server_address[1], flush=True)
server.serve_forever()
PYTHON
python3 server.py >port &
server=$!
for _ in {1..100}; do [[ -s port ]] && break || sleep 0.1; done
url=http://127.0.0.1:$(cat port)/

# Writes a password into .netrc, and prints what each program makes of it.
ask() {
    printf 'machine 127.0.0.1 login ann password %s\n' "$1" >home/.netrc
    chmod 600 home/.netrc
    echo "$1 -> curl: $(of_debian curl -s -n "$url"); wget: $(of_debian wget -q -O - "$url" ||
        true); Python: $(python3 -c 'import netrc
print(netrc.netrc().authenticators("127.0.0.1")[2])')"
}
plain=$(ask 'words')
backslash=$(ask 'back\slash')
hash=$(ask '#first')
quoted=$(ask '"#back\\slash"')
printf '%s\n' "$plain" "$backslash" "$hash" "$quoted"

[[ $plain == 'words -> curl: words; wget: words; Python: words' ]]
[[ $backslash == 'back\slash -> curl: back\slash; wget: backslash; Python: backslash' ]]
[[ $hash == '#first -> curl: ; wget: ; Python: #first' ]]
[[ $quoted == '"#back\\slash" -> curl: #back\slash; wget: #back\slash; Python: #back\slash' ]]
