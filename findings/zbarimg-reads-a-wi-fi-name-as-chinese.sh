#!/usr/bin/env bash
# The QR code that `qrencode -8` makes of a Wi-Fi network "Café" is read by `zbarimg` as "Caf矇":
# neither says nor looks for the encoding first. A code without a mark is UTF-8 for the one, and the
# other guesses among encodings by the bytes: "Müller" becomes Big5, "Grüße" half-width Shift_JIS,
# and "Äöü" stays. One would expect that two programs of one distribution agree on a password, or
# that what is valid UTF-8 is read as that.
#
# Our codes say that they are UTF-8, by an ECI, where the text is not ASCII alone (QRCode.swift).
# Debian 12: qrencode 4.1.1-1, zbar-tools 0.23.92-7+deb12u1.
set -euo pipefail

if [[ ${1-} != inside ]]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    unshare -m bash "$0" inside "$folder"
    exit
fi

folder=$2
mount -t tmpfs tmpfs "$folder"
for place in usr etc var; do
    mkdir -p "$folder/$place/upper" "$folder/$place/work"
    mount -t overlay overlay "/$place" \
        -o "lowerdir=/$place,upperdir=$folder/$place/upper,workdir=$folder/$place/work"
done
DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y \
    qrencode=4.1.1-1 zbar-tools=0.23.92-7+deb12u1 >/dev/null 2>&1
qrencode --version 2>&1 | head -n 1
echo "zbarimg $(zbarimg --version)"

# What it says about D-Bus goes to standard error.
read_back() {
    qrencode -8 -o "$folder/code.png" "$1"
    zbarimg -q --raw "$folder/code.png" 2>/dev/null
}
failed=0
expect() {
    shown=$(read_back "$1")
    echo "$1 is read as $shown"
    [[ $shown == "$2" ]] || failed=1
}
expect 'WIFI:T:WPA;S:Café;P:grün;;' 'WIFI:T:WPA;S:Caf矇;P:gr羹n;;'
expect 'Müller' 'M羹ller'
expect 'Grüße' 'Grﾃｼﾃ歹'
expect 'Äöü' 'Äöü'
expect 'plain' 'plain'
exit "$failed"
