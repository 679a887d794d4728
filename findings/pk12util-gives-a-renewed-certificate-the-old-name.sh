#!/usr/bin/env bash
# `pk12util` says that it imported a renewed certificate with its key. But if NSS has another one
# of the same subject, the new one gets that one's name, and the name in its file is dropped. A
# script that exports by the new name finds nothing, and by the old name gets both keys in one file.
# One would expect each to keep its name, as with `certutil -A`.
#
# So a PKCS#12 file may hold several keys of one name: `keychain import` takes all of them.
# Debian 12: libnss3-tools 2:3.87.1-1+deb12u4, with the openssl of the machine.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/archives/partial" "$folder/root"
apt-get -qq -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/archives" \
    install --download-only --reinstall --no-install-recommends -y \
    libnss3-tools=2:3.87.1-1+deb12u4 libnss3=2:3.87.1-1+deb12u4 >/dev/null
for package in "$folder"/archives/*.deb; do dpkg -x "$package" "$folder/root"; done
dpkg-deb -f "$folder"/archives/libnss3-tools_*.deb Package Version
openssl version
nss() {
    LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu "$folder/root/usr/bin/$1" -d "sql:$2" \
        "${@:3}"
}
cd "$folder"
mkdir names keys
nss certutil names -N --empty-password
nss certutil keys -N --empty-password

for year in 2025 2026; do
    openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=ann -days 90 \
        -keyout key.pem -out certificate.pem 2>/dev/null
    openssl pkcs12 -export -name "ann $year" -passout pass:pw \
        -inkey key.pem -in certificate.pem -out "$year.p12"
    nss certutil names -A -n "ann $year" -t ,, -i certificate.pem
    nss pk12util keys -i "$year.p12" -W pw
done
list() { nss certutil "$1" -L | grep -o '^ann 202[56]' | tr '\n' ';'; }
by_certutil=$(list names)
by_pk12util=$(list keys)
status=0
nss pk12util keys -o new.p12 -n 'ann 2026' -W pw || status=$?
nss pk12util keys -o old.p12 -n 'ann 2025' -W pw
exported=$(openssl pkcs12 -in old.p12 -passin pass:pw -nodes | grep -c 'BEGIN PRIVATE KEY')
echo "certutil -A: $by_certutil; pk12util -i: $by_pk12util"
echo "pk12util -o by the new name: exit $status; by the old name: $exported keys"

[[ $by_certutil == *'ann 2025;'* && $by_certutil == *'ann 2026;'* ]]
[[ $by_pk12util == 'ann 2025;ann 2025;' ]]
[[ $status != 0 && $exported == 2 ]]
