#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Chromium without a display: the page after its scripts, workers and storage have run, and a picture of it.
. "$(dirname "$0")/common.sh"
# The page has an image that is delivered when its scripts have come to their end: not before it has loaded.
cat >page.html <<'HTML'
<!doctype html><meta charset=utf-8><title>t</title><body><p id=a>before</p><canvas id=c width=20 height=20></canvas><img src=wait width=5 height=5>
<script type=module>
const put = s => { const p = document.createElement('p'); p.textContent = s; document.body.append(p); };
let s = 0; for (let i = 0; i < 1000000; i++) s += i; document.getElementById('a').textContent = 'sum ' + s;
const c = document.getElementById('c').getContext('2d'); c.fillRect(0, 0, 10, 10); put(c.getImageData(5, 5, 1, 1).data.join());
const code = 'onmessage = e => { let n = 0; for (let i = 0; i < e.data; i++) n += i % 3; postMessage(n); }';
put('workers ' + await Promise.all([1, 2, 3].map(n => new Promise(ok => {
  const w = new Worker(URL.createObjectURL(new Blob([code]))); w.onmessage = e => ok(e.data); w.postMessage(n * 100000); }))));
put('fetch ' + await (await fetch('data:text/plain,hello')).text());
await WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])); put('wasm');
localStorage.x = '1'; put('storage ' + localStorage.x);
await new Promise(ok => setTimeout(ok, 100)); put('timer'); await fetch('done');
</script></body>
HTML
cat >server.py <<'PY'
import http.server, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    done = threading.Event()
    def do_GET(self):
        if self.path == "/wait": Handler.done.wait(60); Handler.done.clear()
        if self.path == "/done": Handler.done.set()
        body = open("page.html", "rb").read() if self.path == "/" else b""
        self.send_response(200); self.send_header("Content-Type", "text/html"); self.send_header("Content-Length", str(len(body)))
        self.end_headers(); self.wfile.write(body)
    def log_message(self, *ignored): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
PY
port=$(free_port)
python3 server.py "$port" &
server=$!
until_ok listening "$port"
options="--headless --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update
	--disable-sync --password-store=basic ${CHROMIUM_SANDBOX---no-sandbox}"
run()
{
	# Its messages on standard error have times and process numbers in them.
	run_profile=$PWD/$1
	shift
	status timeout -k 5 150 $RECORD chromium $options --user-data-dir="$run_profile" "$@" "http://127.0.0.1:$port/" 2>err
}
run one --dump-dom
run two --dump-dom
run one --screenshot="$PWD/picture.png"
cksum <picture.png
run three --print-to-pdf="$PWD/picture.pdf"
head -c 5 picture.pdf
echo
kill $server
