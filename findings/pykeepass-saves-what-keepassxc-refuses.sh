#!/usr/bin/env bash
# KeePassXC refuses a database of its own that pykeepass only opened and saved: "Header doesn't
# match hash". `keepassxc-cli db-create` writes the format KDBX 3.1, whose encrypted part holds a
# hash of the header. pykeepass 4.2.0 renews the random values of the header at each save, and keeps
# the old hash. It reads such a file itself, so a script notices nothing. Without the hash KeePassXC
# opens the file; the release before keeps the header as it is.
#
# Our import reads the CSV that KeePassXC itself exports (docs/SyncClient.md).
# PyPI: pykeepass 4.2.0 and 4.1.1.post1; Debian 12: keepassxc 2.7.4+dfsg.1-2.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/archives/partial" "$folder/root" "$folder/home"
apt-get -qq -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/archives" \
    install --download-only --no-install-recommends -y keepassxc=2.7.4+dfsg.1-2 >/dev/null
for package in "$folder"/archives/*.deb; do dpkg -x "$package" "$folder/root"; done
cd "$folder"
for version in 4.2.0 4.1.1.post1; do
    python3 -m venv "$version"
    "$version/bin/pip" -q --disable-pip-version-check install pykeepass==$version
done
cli() {
    HOME=$folder/home QT_QPA_PLATFORM=offscreen \
        LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu \
        "$folder/root/usr/bin/keepassxc-cli" "$@" 2>&1
}
echo "keepassxc-cli $(cli --version)"

printf '%s\n' pw pw | cli db-create -q -p made.kdbx >/dev/null
printf '%s\n' pw secret | cli add -q -p made.kdbx Mail
# Opens a copy with a version of pykeepass, saves it, and prints what each program reads then.
saved() {
    cp made.kdbx saved.kdbx
    "$1/bin/python" - "${@:2}" <<'PYTHON'
import sys
from pykeepass import PyKeePass

database = PyKeePass("saved.kdbx", password="pw")
for name in sys.argv[1:]:
    element = database.tree.find("Meta/" + name)
    element.getparent().remove(element)
database.save()
database = PyKeePass("saved.kdbx", password="pw")
print("KDBX", database.version, "pykeepass:", database.entries[0].title, end="; ")
PYTHON
    echo "KeePassXC: $(echo pw | cli ls saved.kdbx | tail -n 1 || true)"
}
new=$(saved 4.2.0)
old=$(saved 4.1.1.post1)
without=$(saved 4.2.0 HeaderHash)
printf '%s\n' "4.2.0:           $new" "4.1.1.post1:     $old" "4.2.0, no hash:  $without"

[[ $new == 'KDBX (3, 1) pykeepass: Mail; KeePassXC: Error'*"Header doesn't match hash" ]]
[[ $old == 'KDBX (3, 1) pykeepass: Mail; KeePassXC: Mail' && $without == "$old" ]]
