#!/usr/bin/env bash
# `promtool check metrics` comes with Prometheus, which scrapes OpenMetrics. Yet it reads a page of
# OpenMetrics as the older text format, in which the name of a counter includes `_total`: it says
# that each counter has no help text, and exits with 3. The page is valid: the strict parser of
# prometheus_client reads counter and help. A check in CI by promtool would always be red.
#
# So our pages are checked by that parser, and promtool checks only the rules of alerts.
# Debian 12: prometheus 2.42.0+ds-5+deb12u1; PyPI: prometheus_client 0.21.1.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/archives/partial" "$folder/root"
apt-get -qq -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/archives" \
    install --download-only --no-install-recommends -y prometheus=2.42.0+ds-5+deb12u1 >/dev/null
dpkg -x "$folder"/archives/prometheus_*.deb "$folder/root"
promtool=$folder/root/usr/bin/promtool
python3 -m venv "$folder/python"
"$folder/python/bin/pip" -q --disable-pip-version-check install prometheus_client==0.21.1
"$promtool" --version 2>&1 | head -n 1

cat >"$folder/page" <<'PAGE'
# TYPE requests counter
# HELP requests Answers that were given.
requests_total{status="200"} 3
# EOF
PAGE
read_by_parser=$("$folder/python/bin/python" - "$folder/page" <<'PYTHON'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
page = open(sys.argv[1]).read()
print([(f.name, f.type, f.documentation) for f in text_string_to_metric_families(page)])
PYTHON
)
echo "prometheus_client: $read_by_parser"
status=0
said=$("$promtool" check metrics <"$folder/page" 2>&1) || status=$?
echo "promtool: $said; exit status $status"

[[ $read_by_parser == "[('requests', 'counter', 'Answers that were given.')]" ]]
[[ $said == 'requests_total no help text' && $status == 3 ]]
