#!/usr/bin/env bash
# `keepassxc-cli merge` keeps the newer of two entries whole. Two copies of a database that changed
# different fields of one entry do not end with both changes: the older one is in the entry's
# history only, and nothing reports it.
#
# So our items merge field by field, and name a value that was not taken (docs/Everyday.md).
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
cli() { "$folder/root/usr/bin/keepassxc-cli" "$@"; }
cd "$folder"
echo "keepassxc-cli $(cli --version)"

# Each command reads the password of the database from standard input.
printf '%s\n' pw pw | cli db-create -q -p laptop.kdbx 2>/dev/null
echo pw | cli add -q -u ann --url https://mail.example.org laptop.kdbx Mail
cp laptop.kdbx phone.kdbx
sleep 1.1 # times have whole seconds
echo pw | cli edit -q -u ann2 laptop.kdbx Mail
sleep 1.1
echo pw | cli edit -q --url https://new.example phone.kdbx Mail
printf '%s\n' pw pw | cli merge -q laptop.kdbx phone.kdbx
shown=$(echo pw | cli show -q laptop.kdbx Mail | grep -E '^(UserName|URL)')
kept=$(echo pw | cli export -q laptop.kdbx | grep -c '<Value>ann2</Value>')
printf '%s\nann2 is in the file %s time, in the history\n' "$shown" "$kept"

[[ $shown == $'UserName: ann\nURL: https://new.example' && $kept == 1 ]]
