#!/usr/bin/env bash
# NetworkManager writes a Wi-Fi passphrase into its file with escapes: a backslash twice, a blank
# at the beginning as `\s`. pass-import reads that file, says nothing, and hands on the escaped text
# as the password, which joins no network. NetworkManager writes a percent sign as it is; there
# pass-import ends with an error. The file looks like an INI file, and is one of GLib's.
#
# Debian 12: network-manager 1.42.4-1+deb12u1; PyPI: pass-import 3.5.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/archives/partial" "$folder/root" "$folder/home"
cd "$folder/archives"
apt-get -qq -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/archives" \
    install --download-only --no-install-recommends -y libnm0=1.42.4-1+deb12u1 >/dev/null
apt-get -qq download network-manager=1.42.4-1+deb12u1 2>/dev/null
for package in "$folder"/archives/*.deb; do dpkg -x "$package" "$folder/root"; done
cd "$folder"
export HOME=$folder/home
nmcli() {
    LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu "$folder/root/usr/bin/nmcli" "$@"
}
nmcli --version
python3 -m venv python
python/bin/pip -q --disable-pip-version-check install pass-import==3.5
python/bin/pimport --version

# Prints the line of NetworkManager's file, and the password that pass-import makes of it.
carry() {
    nmcli --offline connection add type wifi con-name home ssid Home \
        wifi-sec.key-mgmt wpa-psk wifi-sec.psk "$1" >home.nmconnection
    rm -f home.csv
    local status=0 said
    said=$(python/bin/pimport -q csv network-manager home.nmconnection --out home.csv 2>&1) ||
        status=$?
    if [[ $status == 0 ]]; then
        said=$(python/bin/python -c '
import csv
print(next(csv.DictReader(open("home.csv")))["password"])')
    fi
    echo "$(grep ^psk= home.nmconnection) -> $(tail -n 1 <<<"$said")"
}
simple=$(carry 'plain-words')
backslash=$(carry 'back\slash')
blank=$(carry ' in front')
percent=$(carry '100%sure')
printf '%s\n' "$simple" "$backslash" "$blank" "$percent"

[[ $simple == 'psk=plain-words -> plain-words' ]]
[[ $backslash == 'psk=back\\slash -> back\\slash' ]]
[[ $blank == 'psk=\sin front -> \sin front' ]]
[[ $percent == 'psk=100%sure -> configparser.InterpolationSyntaxError: '* ]]
