#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# node: an HTTP server and its clients, worker threads, shared memory, child processes, a cluster, files, compression.
. "$(dirname "$0")/common.sh"
cat >main.js <<'JS'
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const fs = require('fs'), http = require('http'), crypto = require('crypto'), zlib = require('zlib');
const { execFile, fork } = require('child_process');
const cluster = require('cluster');
const get = (port, path, agent) => new Promise((ok, bad) => http.get({ host: '127.0.0.1', port, path, agent }, r => {
  let s = ''; r.on('data', d => s += d).on('end', () => ok(s)); }).on('error', bad));
const once = (e, n) => new Promise(ok => e.once(n, ok));
async function main() {
  const shared = new SharedArrayBuffer(8), cell = new Int32Array(shared);
  const workers = [0, 1, 2, 3].map(id => new Worker(__filename, { workerData: { shared, id } }));
  const ends = workers.map(w => once(w, 'exit'));
  const answers = workers.map(w => once(w, 'message'));
  setTimeout(() => { Atomics.store(cell, 1, 1); Atomics.notify(cell, 1); }, 300);
  console.log((await Promise.all(answers)).map(a => a.id + a.hash), Atomics.load(cell, 0));
  console.log(await Promise.all(ends));
  const server = http.createServer((q, r) => {
    let n = 0; q.on('data', d => n += d.length).on('end', () => r.end(q.method + q.url + n + 'x'.repeat(n % 50000)));
  });
  await new Promise(ok => server.listen(0, '127.0.0.1', ok));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 }), port = server.address().port;
  const all = await Promise.all([...Array(200).keys()].map(i => get(port, '/' + i, agent)));
  console.log(crypto.createHash('md5').update(all.join()).digest('hex'));
  const post = http.request({ host: '127.0.0.1', port, method: 'POST', path: '/post', agent });
  post.end(Buffer.alloc(1 << 20)); const answer = await once(post, 'response'); let n = 0;
  for await (const c of answer) n += c.length; console.log(answer.statusCode, n);
  agent.destroy(); server.close(); await once(server, 'close');
  console.log(await new Promise(ok => execFile('sh', ['-c', 'cat; echo out; echo err >&2; exit 3'], (e, o, r) => ok([e.code, o, r])).stdin.end('in\n')));
  const child = fork(__filename, ['child']), got = [];
  child.on('message', m => got.push(m)); [1, 2, 3].forEach(m => child.send(m));
  console.log(await once(child, 'exit'), got);
  const killed = execFile('sleep', ['100']); killed.kill('SIGKILL'); console.log(await new Promise(ok => killed.on('exit', (c, s) => ok([c, s]))));
  cluster.setupPrimary({ exec: __filename });
  const member = cluster.fork(); const cport = await once(member, 'message');
  console.log(await get(cport, '/path')); member.kill(); console.log(await once(member, 'exit'));
  const data = Buffer.from([...Array(300000).keys()].join());
  const zipped = await Promise.all([1, 5, 9].map(level => new Promise(ok => zlib.gzip(data, { level }, (e, b) => ok(zlib.gunzipSync(b).equals(data))))));
  console.log(zipped, await Promise.all([1, 2, 3, 4, 5, 6].map(i => new Promise(ok => crypto.pbkdf2('p' + i, 's', 20000, 16, 'sha256', (e, k) => ok(k.toString('hex')))))));
  await fs.promises.writeFile('f', data); console.log((await fs.promises.stat('f')).size, (await fs.promises.readdir('.')).filter(n => n === 'f'));
  console.log(await new Promise(ok => require('dns').lookup('localhost', { family: 4 }, (e, a) => ok(a))));
  process.on('SIGUSR2', () => console.log('signal')); process.kill(process.pid, 'SIGUSR2');
  await new Promise(ok => setTimeout(ok, 500)); setImmediate(() => console.log('immediate')); process.nextTick(() => console.log('tick'));
  process.on('exit', c => console.log('exit', c)); process.exitCode = 4;
}
if (!isMainThread) {
  const cell = new Int32Array(workerData.shared);
  for (let i = 0; i < 1000; i++) Atomics.add(cell, 0, 1);
  Atomics.wait(cell, 1, 0);
  parentPort.postMessage({ id: workerData.id, hash: crypto.createHash('sha256').update('' + workerData.id).digest('hex') });
} else if (process.argv[2] === 'child') {
  process.on('message', m => { process.send(m * 2); if (m === 3) process.disconnect(); });
} else if (cluster.isWorker) {
  http.createServer((q, r) => r.end('cluster ' + q.url)).listen({ port: 0, host: '127.0.0.1' }, function () {
    process.send(this.address().port);
  });
} else main();
JS
status $RECORD node main.js
status $RECORD node -e 'process.on("uncaughtException", e => { console.log(e.message); process.exit(6) }); throw new Error("thrown")'
status $RECORD node -e 'process.abort()' 2>/dev/null
$RECORD node -e 'setTimeout(() => 0, 100000)' &
idle=$!
until_ok sh -c "ls -l /proc/$idle/exe | grep -qE 'node|syntrace'"
sleep 0.5
process=$(program $idle)
until_ok sh -c "[ \$(ls /proc/$process/task | wc -l) -ge 7 ] && ls -l /proc/$process/fd | grep -q eventpoll"
sleep 1
holds node $idle
kill -TERM $idle
ended node $idle
