import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { WebSocketServer } from 'ws';
import type { Io } from '../../cli/src/io.ts';
import { run } from '../../cli/src/run.ts';
import { defer } from '../support/cleanup.ts';

const VM = 'vm_00000000000000000000000000';
const HOSTILE = 'gone\u001b]0;owned\u0007\u009b2J\u202e\r\nroot#';
const SHOWN = 'gone\\x1b]0;owned\\x07\\x9b2J\\u{202e}\\x0d\\x0aroot#';

/** A compromised service: every text in its replies tries to control the terminal. */
async function hostileService(t: TestContext): Promise<string> {
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => {
    const isToken = request.url!.endsWith('/ssh-token');
    const { port } = server.address() as AddressInfo;
    const token = {
      ws_url: `ws://127.0.0.1:${port}/console`,
      token: 'vct_x',
      expires_at: '2026-01-01T00:00:00Z',
    };
    const body = isToken
      ? { data: { ...token, username: HOSTILE, expires_in_seconds: 60, single_use: true } }
      : {
          error: {
            code: HOSTILE,
            message: HOSTILE,
            details: { fields: [{ field: HOSTILE, message: HOSTILE }] },
          },
        };
    response.writeHead(isToken ? 200 : 422, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (ws) => ws.close(4003, HOSTILE));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(t, () => {
    sockets.close();
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs a command on a fake terminal and returns its output. */
async function vauban(url: string, ...words: string[]) {
  const texts = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof texts) => {
    const stream = new PassThrough({ encoding: 'utf8' });
    stream.on('data', (text: string) => {
      texts[name] += text;
    });
    return stream;
  };
  const io = {
    stdin: new PassThrough(),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    env: { VAUBAN_URL: url, VAUBAN_API_KEY: 'vk_00000000' },
    signal: new AbortController().signal,
  } as unknown as Io;
  const code = await run(words, io);
  return { code, ...texts };
}

test('the command line prints only text, whatever a service replies', async (t) => {
  const url = await hostileService(t);
  for (const words of [
    ['vm', 'get', VM],
    ['vm', 'get', VM, '-o', 'json'],
    ['vm', 'list'],
    ['billing', 'wallet'],
    ['ssh-proxy', VM],
    ['no\u001b[31msuch'],
  ]) {
    const { code, stdout, stderr } = await vauban(url, ...words);
    assert.notEqual(code, 0);
    assert.doesNotMatch(
      stdout + stderr,
      /(?!\n)[\p{Cc}\p{Cf}]/u,
      `${words}: ${JSON.stringify(stdout + stderr)}`,
    );
  }
  assert.match((await vauban(url, 'vm', 'get', VM)).stderr, /gone\\x1b]0;owned/);
  const { stderr } = await vauban(url, 'ssh-proxy', VM);
  assert.ok(stderr.includes(`vauban: 4003 ${SHOWN}`), stderr);
});
