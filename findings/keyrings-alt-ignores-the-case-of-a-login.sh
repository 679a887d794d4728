#!/usr/bin/env bash
# The files of keyrings.alt, which the Python library keyring uses where no desktop keeps passwords,
# take the logins `Ann` and `ann` for one: the second password replaces the first, and both names
# answer with it. They are INI files, and the reader of these makes the names of values lower-case.
# The names of services are sections there, and stay two. One would expect two passwords, as
# gnome-keyring keeps them behind the same calls.
#
# Our items compare accounts and services by each letter (docs/SecItem.md).
# PyPI: keyring 25.7.0, keyrings.alt 5.0.2, pycryptodome 3.23.0.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip -q --disable-pip-version-check install \
    keyring==25.7.0 keyrings.alt==5.0.2 pycryptodome==3.23.0
python/bin/pip --disable-pip-version-check list 2>/dev/null | grep -iE '^(keyring|pycryptodome)'

said=$(HOME=$folder XDG_DATA_HOME=$folder python/bin/python - <<'PYTHON'
from keyrings.alt.file import EncryptedKeyring, PlaintextKeyring

for store in PlaintextKeyring(), EncryptedKeyring():
    if isinstance(store, EncryptedKeyring):
        store.keyring_key = "pw"
    store.set_password("mail", "Ann", "first")
    store.set_password("mail", "ann", "second")
    store.set_password("Wiki", "eve", "first")
    store.set_password("wiki", "eve", "second")
    print(
        type(store).__name__,
        "Ann:", store.get_password("mail", "Ann"), "ann:", store.get_password("mail", "ann"),
        "Wiki:", store.get_password("Wiki", "eve"), "wiki:", store.get_password("wiki", "eve"),
    )
PYTHON
)
echo "$said"
[[ $said == 'PlaintextKeyring Ann: second ann: second Wiki: first wiki: second'$'\n'* ]]
[[ $said == *$'\n''EncryptedKeyring Ann: second ann: second Wiki: first wiki: second' ]]
