import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../platform/clock.ts';
import { DRAWING_SHARE } from '../limits.ts';
import type { Answer, Order } from './messages.ts';
import { SharedScreen } from './screen.ts';

// The thread of a node that keeps the screens of its shared shells: what costs time here holds up no request.

/** Behind the service's own thread where there are fewer processors than work. */
const NICE = 10;

interface Kept {
  screen: SharedScreen;
  /** Resolves when its next picture may be drawn. */
  rested: Promise<void>;
}

const kept = new Map<number, Kept>();
const port = parentPort!;

/** Draws when the screen has rested from its last picture, so that no screen takes the thread from the others. */
async function draw(id: number, one: Kept): Promise<void> {
  await one.rested;
  if (!kept.has(id)) return;
  one.screen.draw((picture, ms) => {
    one.rested = systemClock.sleep(ms / DRAWING_SHARE - ms);
    const bytes = new Uint8Array(picture);
    port.postMessage({ answer: 'picture', id, bytes } satisfies Answer, [bytes.buffer]);
  });
}

function obey(order: Order): void {
  if (order.order === 'ping') {
    port.postMessage({ answer: 'pong' } satisfies Answer);
    return;
  }
  const { id } = order;
  if (order.order === 'open') {
    kept.set(id, { screen: new SharedScreen(order), rested: Promise.resolve() });
    return;
  }
  const one = kept.get(id);
  if (!one) return;
  if (order.order === 'write')
    one.screen.write(order.bytes, () => port.postMessage({ answer: 'written', id } satisfies Answer));
  else if (order.order === 'resize') one.screen.resize(order);
  else if (order.order === 'draw') void draw(id, one);
  else {
    kept.delete(id);
    one.screen.close();
  }
}

// On Linux the priority is the calling thread's; elsewhere it would be the whole service's.
if (process.platform === 'linux') setPriority(NICE);
port.on('message', obey);
