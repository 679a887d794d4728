#!/usr/bin/env bash
# `docker login` hands the login of a registry to a credential helper, which is asked for it by the
# address of the server only. docker-credential-pass keeps another user's login beside the new one,
# and answers with the name that comes first in the alphabet: after a login as bob it gives out
# ann's, and `list` names ann alone. One would expect the last login; nothing reports the other.
#
# Our commands name the items when several may be meant, and give out none (docs/Everyday.md).
# Debian 12: golang-docker-credential-helpers 0.6.4+ds1-1+b6, pass 1.7.4-6, with the gpg of the
# machine.
set -euo pipefail

folder=$(mktemp -d)
trap 'gpgconf --kill all; rm -rf "$folder"' EXIT
mkdir -p "$folder/archives/partial" "$folder/root" "$folder/home"
mkdir -m 700 "$folder/gnupg"
export HOME=$folder/home GNUPGHOME=$folder/gnupg
cd "$folder/archives"
apt-get -qq -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/archives" \
    install --download-only --no-install-recommends -y pass=1.7.4-6 >/dev/null
apt-get -qq download golang-docker-credential-helpers=0.6.4+ds1-1+b6 2>/dev/null
for package in "$folder"/archives/*.deb; do dpkg -x "$package" "$folder/root"; done
export PATH=$folder/root/usr/bin:$PATH
dpkg-deb -f golang-docker-credential-helpers_*.deb Package Version | tr '\n' ' '
echo "pass $(pass version | grep -o 'v[0-9.]*')"

gpg --batch --quiet --passphrase '' --quick-gen-key ann@example.org default default never \
    2>"$folder/log"
pass init ann@example.org >/dev/null
server=https://registry.example
log_in() {
    printf '{"ServerURL":"%s","Username":"%s","Secret":"of %s"}' $server "$1" "$1" |
        docker-credential-pass store
    docker-credential-pass get <<<$server | grep -o '"Username.*"'
}
first=$(log_in carol)
second=$(log_in ann)
third=$(log_in bob)
listed=$(docker-credential-pass list)
printf '%s\n' "after the login of carol: $first" "then of ann:              $second" \
    "then of bob:              $third" "list:                     $listed"

[[ $first == '"Username":"carol","Secret":"of carol"' ]]
[[ $second == '"Username":"ann","Secret":"of ann"' ]]
[[ $third == "$second" && $listed == '{"https://registry.example":"ann"}' ]]
