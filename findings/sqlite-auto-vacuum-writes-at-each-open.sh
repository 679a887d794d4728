#!/usr/bin/env bash
# Programs give SQLite its settings at each start, as most are settings of the connection. `PRAGMA
# auto_vacuum = INCREMENTAL` is one of the file: given again, with the value that the file has, it
# is a write transaction all the same, with a page for the write-ahead log and its disk sync. One
# would expect that nothing happens: `journal_mode = WAL` on a file in that mode writes nothing.
# So a program that begins with it cannot open its file on a full disk, although it only reads.
#
# We ask for the present value first, and set it on a new file alone.
# Debian 12: sqlite3 3.40.1-2+deb12u2.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/root"
cd "$folder"
apt-get -qq download sqlite3=3.40.1-2+deb12u2 libsqlite3-0=3.40.1-2+deb12u2 2>/dev/null
for package in ./*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
sqlite3=$folder/root/usr/bin/sqlite3
echo "SQLite $("$sqlite3" --version | cut -d ' ' -f 1)"

"$sqlite3" file 'PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
    CREATE TABLE item (name TEXT);' >/dev/null
# The connection that writes is the last one, so it leaves no log: a second one holds the file.
exec {to}> >("$sqlite3" file >"$folder/held")
echo 'SELECT count(*) FROM item;' >&$to
while ! grep -q 0 held 2>/dev/null; do sleep 0.1; done

log_bytes() { stat -c %s file-wal 2>/dev/null || echo 0; }
of() {
    local before
    before=$(log_bytes)
    "$sqlite3" file "$1" >/dev/null
    echo $(($(log_bytes) - before))
}
mode=$(of 'PRAGMA journal_mode = WAL; SELECT * FROM item;')
present=$("$sqlite3" file 'PRAGMA auto_vacuum;')
vacuum=$(of 'PRAGMA auto_vacuum = INCREMENTAL; SELECT * FROM item;')
exec {to}>&-
printf '%s\n' "auto_vacuum of the file: $present (2 is INCREMENTAL)" \
    "bytes written to the log by journal_mode = WAL:            $mode" \
    "bytes written to the log by auto_vacuum = INCREMENTAL:     $vacuum"

[[ $present == 2 && $mode == 0 ]]
# The header of the log, if it was empty, and one frame of a page.
((vacuum >= 4096))
