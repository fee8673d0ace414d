import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Client } from '../support/client.ts';
import { newVm, type Subject } from '../support/world.ts';

/** Opens a WebSocket and returns it with the first bytes received; fails if the other end hangs up. */
async function hear(url: string, protocols: string[]): Promise<{ socket: WebSocket; words: string }> {
  const socket = new WebSocket(url, protocols);
  socket.binaryType = 'arraybuffer';
  // A single listener for all messages: two that arrive together cause two events in a row.
  const words = await new Promise<string>((resolve, reject) => {
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data !== 'string') resolve(Buffer.from(data).toString('latin1'));
    });
    socket.addEventListener('close', ({ code, reason }) =>
      reject(new Error(`closed with ${code} ${reason} before anything was said`)),
    );
  });
  return { socket, words };
}

async function isLetIn(url: string, protocols: string[]): Promise<boolean> {
  const socket = new WebSocket(url, protocols);
  const opened = await Promise.race([
    once(socket, 'open').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false);
  socket.close();
  return opened;
}

async function look(client: Client, id: string): Promise<void> {
  const screen = await client.ok<{ ws_url: string; ticket: string }>('getConsole', { at: [id] });
  const { socket, words } = await hear(screen.ws_url, ['binary', screen.ticket]);
  assert.match(words, /^RFB 003\.008\n/);
  socket.close();
  assert.equal(await isLetIn(screen.ws_url, ['binary', screen.ticket]), false, 'once');
}

/** A customer looks at the screen, types into a terminal, and shares it for a while. */
export async function consoles({ client }: Subject): Promise<void> {
  const { id } = await newVm(client, 'consoles');
  const at = [id];
  await look(client, id);

  const access = await client.ok<{ ws_url: string; token: string; username: string }>('createSshToken', {
    at,
    body: { cols: 100, rows: 30 },
  });
  assert.equal(access.username, 'debian');
  const terminal = await hear(access.ws_url, ['vauban.ssh', access.token]);
  const ended = once(terminal.socket, 'close');
  terminal.socket.send(new TextEncoder().encode('exit\n'));
  const [{ code }] = (await ended) as [CloseEvent];
  assert.equal(code, 1000);

  const share = await client.ok<{ id: string; url: string }>('createConsoleShare', {
    at,
    body: { mode: 'read_only', label: 'for support' },
  });
  const [page, secret] = share.url.split('#') as [string, string];
  assert.equal((await fetch(page)).status, 200);
  const viewer = await hear(`${page.replace('http', 'ws')}/socket`, ['vauban.share', secret]);
  const [listed] = await client.ok<{ id: string; viewers: number }[]>('listConsoleShares', { at });
  assert.deepEqual([listed!.id, listed!.viewers], [share.id, 1]);
  const cut = once(viewer.socket, 'close');
  await client.ok('deleteConsoleShare', { at: [id, share.id] });
  const [{ code: reason }] = (await cut) as [CloseEvent];
  assert.equal(reason, 4002);
  assert.equal(await isLetIn(`${page.replace('http', 'ws')}/socket`, ['vauban.share', secret]), false);
}
