import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../platform/clock.ts';
import { DRAWING_SHARE } from '../limits.ts';
import type { Answer, Order } from './messages.ts';
import { SharedScreen } from './screen.ts';

// The thread of a node that keeps the screens of its shared shells, so that time spent here delays no request.

/** Yields to the service's main thread if there are too few processors. */
const NICE = 10;

interface Kept {
  screen: SharedScreen;
  /** Resolves when its next picture may be drawn. */
  rested: Promise<void>;
}

const kept = new Map<number, Kept>();
const port = parentPort!;

/** Draws once the screen has rested from its last picture, so that no screen monopolises the thread. */
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

// On Linux the priority applies to the calling thread; elsewhere it would apply to the whole service.
if (process.platform === 'linux') setPriority(NICE);
port.on('message', obey);
