// Serves the patterns on a free port of loopback, answers slowly where it is asked to, and takes the truth from the pages.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

const KINDS = { '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json' };

/** `truth(token, longest)` gives the next word of the page with that token; null if none comes in so many milliseconds. */
export async function serve(folder) {
  const queues = new Map();
  const queue = (token) => queues.get(token) ?? queues.set(token, { told: [], waiting: [] }).get(token);
  const server = http.createServer((request, answer) => {
    const url = new URL(request.url, 'http://127.0.0.1');
    if (url.pathname === '/api/slow') {
      setTimeout(() => answer.end('done'), Number(url.searchParams.get('ms')));
    } else if (url.pathname === '/truth') {
      let body = '';
      request.on('data', (part) => { body += part; });
      request.on('end', () => {
        const { told, waiting } = queue(url.searchParams.get('token')), truth = JSON.parse(body);
        if (waiting.length) waiting.shift()(truth); else told.push(truth);
        answer.writeHead(204).end();
      });
    } else {
      const file = path.join(folder, path.basename(url.pathname));
      if (!fs.existsSync(file)) return answer.writeHead(404).end();
      answer.setHeader('content-type', KINDS[path.extname(file)] ?? 'text/plain');
      answer.end(fs.readFileSync(file));
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const truth = (token, longest = 60000) => new Promise((done) => {
    const { told, waiting } = queue(token);
    if (told.length) return done(told.shift());
    const give = (word) => { clearTimeout(timer); done(word); };
    const timer = setTimeout(() => { waiting.splice(waiting.indexOf(give), 1); done(null); }, longest);
    waiting.push(give);
  });
  return { base: `http://127.0.0.1:${server.address().port}/`, truth, close: () => { server.close(); server.closeAllConnections(); } };
}
