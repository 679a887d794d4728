#!/usr/bin/env bash
# `csvsort` of csvkit changes cells while it sorts rows. A password `none`, `NA`, `n/a` or `.`
# becomes empty, and one `0042` the number 42, if all of its column look like numbers. One would
# take `--no-inference` for the remedy: it keeps the 0042, but the others are empty nevertheless.
# `csvcut` and `csvgrep` keep all of them.
#
# Our import names each row that has no password, so such a loss is seen (docs/SyncClient.md).
# PyPI: csvkit 2.2.0, agate 1.14.2.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip -q --disable-pip-version-check install csvkit==2.2.0 agate==1.14.2
python/bin/csvsort --version

printf '%s\n' site,password b.example,none c.example,NA a.example,0042 d.example,. >export.csv
sorted=$(python/bin/csvsort -c site export.csv | tr '\n' ' ')
as_text=$(python/bin/csvsort --no-inference -c site export.csv | tr '\n' ' ')
cut=$(python/bin/csvcut -c site,password export.csv | tr '\n' ' ')
printf '%s\n' "csvsort:                $sorted" "csvsort --no-inference: $as_text" \
    "csvcut:                 $cut"

[[ $sorted == 'site,password a.example,42 b.example, c.example, d.example, ' ]]
[[ $as_text == 'site,password a.example,0042 b.example, c.example, d.example, ' ]]
[[ $cut == 'site,password b.example,none c.example,NA a.example,0042 d.example,. ' ]]
