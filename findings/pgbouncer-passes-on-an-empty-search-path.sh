#!/usr/bin/env bash
# `vacuumdb` and `reindexdb` work through PgBouncer in the transaction mode, and end with 0. But
# each empties the search path of its session at the start, and PgBouncer keeps the connection to
# the database as it is: whoever gets it next finds no table without its schema, for up to an hour.
# One would expect maintenance to leave other clients alone, as it does without a pooler.
#
# Our statements name tables without a schema: such tools need the database itself as address.
# Debian 12: pgbouncer 1.18.0-1+deb12u1; postgresql-15 15.18-0+deb12u1.
set -euo pipefail

folder=$(mktemp -d)
running=()
end() {
    kill "${running[@]}" 2>/dev/null || true
    wait "${running[@]}" 2>/dev/null || true
    rm -rf "$folder"
}
trap end EXIT
mkdir -p "$folder/archives/partial" "$folder/root" "$folder/run"
apt-get -qq -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/archives" \
    install --download-only --reinstall --no-install-recommends -y \
    pgbouncer=1.18.0-1+deb12u1 postgresql-15=15.18-0+deb12u1 \
    postgresql-client-15=15.18-0+deb12u1 >/dev/null
for package in "$folder"/archives/*.deb; do dpkg -x "$package" "$folder/root"; done

# Neither server runs as root.
user=()
if [[ $(id -u) == 0 ]]; then
    user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
    chmod 755 "$folder"
    chown nobody "$folder/run"
fi
as_user() {
    exec "${user[@]}" env HOME="$folder/run" \
        LD_LIBRARY_PATH="$folder/root/usr/lib/x86_64-linux-gnu" "$@"
}
bin=$folder/root/usr/lib/postgresql/15/bin
cd "$folder/run"
(as_user "$bin/initdb" -A trust -U ann --no-locale -E UTF8 -D data >log)
(as_user "$bin/postgres" -D data -k "$folder/run" -c listen_addresses= >>log 2>&1) &
running+=($!)
cat >pooler.ini <<INI
[databases]
* = host=$folder/run user=ann
[pgbouncer]
listen_addr =
listen_port = 6543
unix_socket_dir = $folder/run
auth_type = any
pool_mode = transaction
INI
(as_user "$folder/root/usr/sbin/pgbouncer" -q pooler.ini >>log 2>&1) &
running+=($!)

sql() { (as_user "$bin/psql" -XAtq -h "$folder/run" -U ann -d postgres "$@" 2>&1) || true; }
for _ in {1..100}; do
    [[ $(sql -c 'SELECT 1') == 1 && $(sql -p 6543 -c 'SELECT 1') == 1 ]] && break
    sleep 0.2
done
sql -c 'SHOW server_version'
(as_user "$folder/root/usr/sbin/pgbouncer" --version) | head -n 1

sql -c 'CREATE TABLE item (n int)' -c 'INSERT INTO item VALUES (7)'
before=$(sql -p 6543 -c 'SELECT n FROM item')
status=0
(as_user "$bin/vacuumdb" -q --analyze-only -h "$folder/run" -p 6543 -U ann postgres) || status=$?
after=$(sql -p 6543 -c 'SELECT n FROM item' | head -n 1)
direct=$(sql -c 'SELECT n FROM item')
echo "through the pooler: $before; vacuumdb ends with $status; then: $after; directly: $direct"

[[ $before == 7 && $status == 0 && $direct == 7 ]]
[[ $after == 'ERROR:  relation "item" does not exist' ]]
