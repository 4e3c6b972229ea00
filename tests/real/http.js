// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The syntrace authors
//
// http.js server PORT: answers with the body that was posted, compressed; ends on SIGTERM.
// http.js client PORT REQUESTS: posts so many, 16 at a time.
const http = require('http'), zlib = require('zlib');
const [, , what, port, requests] = process.argv;

if (what === 'server') {
  let answered = 0;
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', part => parts.push(part)).on('end', () => zlib.gzip(Buffer.concat(parts), (error, body) => {
      answered++;
      response.end(body);
    }));
  });
  server.listen(+port, '127.0.0.1');
  process.on('SIGTERM', () => server.close(() => console.log(answered, 'requests')));
} else {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  const ask = n => new Promise((done, fail) => {
    const body = Buffer.alloc(n % 30000 + 1, 'body of request ' + n);
    http.request({ host: '127.0.0.1', port, agent, method: 'POST', path: '/' + n }, response => {
      const parts = [];
      response.on('data', part => parts.push(part)).on('end', () =>
        zlib.gunzipSync(Buffer.concat(parts)).equals(body) ? done() : fail(new Error('another body')));
    }).on('error', fail).end(body);
  });
  (async () => {
    let next = 0;
    const worker = async () => { while (next < +requests) await ask(next++); };
    await Promise.all(Array.from({ length: 16 }, worker));
    agent.destroy();
    console.log(next, 'requests');
  })();
}
