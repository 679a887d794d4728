#!/usr/bin/env bash
# `pass` keeps an entry as one encrypted file and sets up git to show differences of its text. Yet
# git merges the encrypted bytes: two clones that changed different lines of an entry end in a
# conflict, and `pass git pull` exits with 0 nevertheless, so a script does not notice.
#
# So our items merge value by value, and `sync-client sync` exits with 0 only when nothing is open.
# Debian 12: pass 1.7.4-6, with the git and gpg of the machine.
set -euo pipefail

folder=$(mktemp -d)
trap 'gpgconf --kill all; rm -rf "$folder"' EXIT
mkdir -p "$folder/archives/partial" "$folder/root" "$folder/home"
mkdir -m 700 "$folder/gnupg"
export HOME=$folder/home GNUPGHOME=$folder/gnupg
export GIT_AUTHOR_NAME=ann GIT_AUTHOR_EMAIL=ann@example.org
export GIT_COMMITTER_NAME=ann GIT_COMMITTER_EMAIL=ann@example.org
apt-get -qq -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/archives" \
    install --download-only --no-install-recommends -y pass=1.7.4-6 >/dev/null
for package in "$folder"/archives/*.deb; do dpkg -x "$package" "$folder/root"; done
export PATH=$folder/root/usr/bin:$PATH
echo "pass $(pass version | grep -o 'v[0-9.]*'), $(git --version), $(gpg --version | head -n 1)"

store() { PASSWORD_STORE_DIR=$folder/$1 pass "${@:2}"; }
gpg --batch --quiet --passphrase '' --quick-gen-key ann@example.org default default never
{
    store laptop init ann@example.org
    store laptop git init
    printf '%s\n' secret 'user: ann' 'one' 'two' 'pin: 1' | store laptop insert -m mail
    git clone -q "$folder/laptop" "$folder/phone"
    printf '%s\n' secret 'user: ann2' 'one' 'two' 'pin: 1' | store laptop insert -f -m mail
    printf '%s\n' secret 'user: ann' 'one' 'two' 'pin: 2' | store phone insert -f -m mail
} >"$folder/log" 2>&1
status=0
said=$(store phone git pull --no-rebase 2>&1) || status=$?
grep -E '^(warning|CONFLICT)' <<<"$said"
echo "exit status of pass: $status; of the entry: $(git -C "$folder/phone" status --short)"

[[ $said == *'CONFLICT (content): Merge conflict in mail.gpg'* && $status == 0 ]]
