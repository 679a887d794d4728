#!/usr/bin/env bash
# An integer in a document of pycrdt has one type where it is written and another on the next
# device, by its value: 2**53 + 1 arrives as an integer, 2**53 as a float. Of times in nanoseconds
# one of 256 does so, which a test hardly finds. 2**63 - 1 arrives as another number, 2**63, though
# both devices have the same state and have nothing left to exchange. Below 2**53 each integer is a
# float from the start. One would expect integers of 64 bits, as the writer reads them.
#
# Our key-value stores tell integers of 64 bits from reals on every device (docs/KeyValueStore.md).
# PyPI: pycrdt 0.14.13.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip -q --disable-pip-version-check install pycrdt==0.14.13
python/bin/pip --disable-pip-version-check list 2>/dev/null | grep '^pycrdt'

said=$(python/bin/python - <<'PYTHON'
from pycrdt import Doc, Map


def deliver(number):
    laptop, phone = Doc(), Doc()
    written, read = laptop.get("values", type=Map), phone.get("values", type=Map)
    written["n"] = number
    phone.apply_update(laptop.get_update())
    assert laptop.get_update(phone.get_state()) == phone.get_update(laptop.get_state())
    return written["n"], read["n"]


for number in 7, 2**53, 2**53 + 1, 2**63 - 1:
    here, there = deliver(number)
    print(number, "->", here, there, "the same" if here == there else "another number")
start = 1767225600 * 10**9  # midnight of 1 January 2026, in nanoseconds
kinds = [type(deliver(start + n)[1]) for n in range(1024)]
print(f"of 1024 times in nanoseconds {kinds.count(int)} integers, {kinds.count(float)} floats")
PYTHON
)
echo "$said"
[[ $said == '7 -> 7.0 7.0 the same
9007199254740992 -> 9007199254740992 9007199254740992.0 the same
9007199254740993 -> 9007199254740993 9007199254740993 the same
9223372036854775807 -> 9223372036854775807 9.223372036854776e+18 another number
of 1024 times in nanoseconds 1020 integers, 4 floats' ]]
