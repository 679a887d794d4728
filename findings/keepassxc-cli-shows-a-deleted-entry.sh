#!/usr/bin/env bash
# After `keepassxc-cli rm`, the deleted entry still answers to its name: `show` prints its password
# and ends with 0, `add` refuses an entry of that name, and a second `rm` deletes it for good. A
# name without a leading slash finds entries of all groups, and the recycle bin is one. One would
# expect "not found", and a place for a new entry.
#
# Our commands find no deleted items; `keychain deleted` alone lists them (docs/Everyday.md).
# Debian 12: keepassxc 2.7.4+dfsg.1-2.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/archives/partial" "$folder/root" "$folder/home"
apt-get -qq -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/archives" \
    install --download-only --no-install-recommends -y keepassxc=2.7.4+dfsg.1-2 >/dev/null
for package in "$folder"/archives/*.deb; do dpkg -x "$package" "$folder/root"; done

export HOME=$folder/home QT_QPA_PLATFORM=offscreen
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu
cli() { "$folder/root/usr/bin/keepassxc-cli" "$@" 2>&1; }
cd "$folder"
echo "keepassxc-cli $(cli --version)"

# Each command reads the password of the database from standard input, `add` then the new one.
printf '%s\n' pw pw | cli db-create -q -p vault.kdbx >/dev/null
printf '%s\n' pw secret | cli add -q -p vault.kdbx Mail
echo pw | cli rm -q vault.kdbx Mail
listed=$(echo pw | cli ls -q -R -f vault.kdbx | tr '\n' ' ')
shown=$(echo pw | cli show -q -s -a password vault.kdbx Mail)
status=0
added=$(printf '%s\n' pw other | cli add -q -p vault.kdbx Mail) || status=$?
echo pw | cli rm -q vault.kdbx Mail
left=$(echo pw | cli ls -q -R -f vault.kdbx | tr '\n' ' ')
echo "after rm: $listed; show Mail: $shown; add Mail: $added (exit $status); after rm again: $left"

[[ $listed == 'Recycle Bin/ Recycle Bin/Mail ' && $shown == secret ]]
[[ $added == 'Could not create entry with path Mail.' && $status == 1 ]]
[[ $left == 'Recycle Bin/ Recycle Bin/[empty] ' ]]
