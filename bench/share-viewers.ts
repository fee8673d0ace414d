// Viewers of a share link that do as much harm as they can; a separate process, which claims/shares.ts instructs.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

export type Mischief = 'resizes' | 'joins' | 'deaf';

export interface ViewersOrder {
  mischief: Mischief;
  url: string;
  protocols: string[];
}

const VIEWERS = 40;
/** For each viewer. */
const RESIZE_EVERY_MS = 2;
const JOIN_EVERY_MS = 20;
const PAINT_EVERY_MS = 250;
/** Two screens of 300 by 100. */
const PAINT = Buffer.from('paint 60000\r');

const [order] = (await once(process, 'message')) as [ViewersOrder];
process.once('disconnect', () => process.exit());

function view(): WebSocket {
  return new WebSocket(order.url, order.protocols, { perMessageDeflate: false }).on('error', () => {});
}

async function viewers(count: number): Promise<WebSocket[]> {
  const sockets = Array.from({ length: count }, view);
  await Promise.all(sockets.map((ws) => once(ws, 'message')));
  return sockets;
}

const resize = (ws: WebSocket, side: number) =>
  ws.send(JSON.stringify({ type: 'resize', cols: side, rows: side }));

/** Fills the screen and lines above it with cells of different colours, once or repeatedly. */
async function paint(ws: WebSocket, again: boolean): Promise<void> {
  do {
    ws.send(PAINT, { binary: true });
    await sleep(PAINT_EVERY_MS);
  } while (again);
}

async function drag(ws: WebSocket): Promise<void> {
  for (let n = 0; ; n++) {
    resize(ws, n % 2 ? 500 : 1);
    await sleep(RESIZE_EVERY_MS);
  }
}

async function join(): Promise<void> {
  for (;;) {
    const ws = view();
    ws.once('message', () => ws.on('message', () => ws.close()));
    await sleep(JOIN_EVERY_MS);
  }
}

const [painter, ...others] = await viewers(order.mischief === 'joins' ? 1 : VIEWERS);
resize(painter!, 500);
void paint(painter!, order.mischief !== 'resizes');
if (order.mischief === 'resizes') for (const ws of others) void drag(ws);
if (order.mischief === 'deaf') for (const ws of others) ws.pause();
if (order.mischief === 'joins') void join();
process.send!('begun');
