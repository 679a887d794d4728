#!/usr/bin/env bash
# A stream of server-sent events may end anywhere, as when a proxy is reloaded. HTML's standard has
# a client drop an event without the empty line behind it. sseclient-py hands it out as if it were
# whole, though it may be cut within its data: of `data: 1234` a program gets 12, and no error.
# httpx-sse drops it.
#
# So our client takes an event at its empty line only, and asks for what it missed by its cursor.
# PyPI: sseclient-py 1.9.0, requests 2.32.5, httpx-sse 0.4.3, httpx 0.28.1.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip -q --disable-pip-version-check install \
    sseclient-py==1.9.0 requests==2.32.5 httpx-sse==0.4.3 httpx==0.28.1
python/bin/pip --disable-pip-version-check list 2>/dev/null | grep -iE '^(sse|requests|httpx)'

said=$(no_proxy=127.0.0.1 python/bin/python - <<'PYTHON'
import http.server
import threading

import httpx
import httpx_sse
import requests
import sseclient


class Cut(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"data: 1233\n\ndata: 12")  # the end of the connection ends the body

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cut)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_address[1]}/"
answer = requests.get(url, stream=True, timeout=10)
print("sseclient-py:", [event.data for event in sseclient.SSEClient(answer).events()])
with httpx.Client() as client, httpx_sse.connect_sse(client, "GET", url) as source:
    print("httpx-sse:", [event.data for event in source.iter_sse()])
PYTHON
)
echo "$said"
[[ $said == $'sseclient-py: [\'1233\', \'12\']\nhttpx-sse: [\'1233\']' ]]
