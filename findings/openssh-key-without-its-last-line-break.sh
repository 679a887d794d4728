#!/usr/bin/env bash
# OpenSSH does not read a private key whose file lacks the last line break, and says "error in
# libcrypto". `$(cat KEY)`, and pasting into a field, remove that line break.
#
# So `keychain show --field` ends what it prints with a line break, and docs/Everyday.md attaches
# the file of a key. Debian 12: openssh-client 1:9.2p1-2+deb12u10.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/archives/partial" "$folder/root"
cd "$folder"
apt-get -qq download openssh-client=1:9.2p1-2+deb12u10 2>/dev/null
dpkg -x openssh-client_*.deb root
keygen=$folder/root/usr/bin/ssh-keygen
dpkg-deb -f openssh-client_*.deb Package Version

"$keygen" -q -t ed25519 -N '' -C ann@laptop -f key
printf '%s' "$(cat key)" >stripped
chmod 600 stripped
"$keygen" -y -f key | cut -c 1-30
status=0
said=$("$keygen" -y -f stripped 2>&1 | tr -d '\r') || status=$?
echo "without its last line break: $said (exit $status)"

[[ $said == 'Load key "stripped": error in libcrypto' && $status != 0 ]]
