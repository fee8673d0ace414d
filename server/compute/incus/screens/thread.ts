import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { serveRfb } from '../../../rfb/serve.ts';
import { textScreen } from '../../../text-console/text-screen.ts';
import type { Answer, Order } from './messages.ts';
import { PortStream } from './port-stream.ts';
import { ThreadScreen } from './thread-screen.ts';

// The thread that keeps the screens of guests: what strangers write to them, and what their viewers ask for, holds up no request.

/** Behind the service's own thread where there are fewer processors than work. */
const NICE = 10;

const screens = new Map<number, { screen: ThreadScreen; viewers: Set<PortStream> }>();
const port = parentPort!;
const answer = (what: Answer) => port.postMessage(what);

function obey(order: Order): void {
  const { id } = order;
  if (order.order === 'open') {
    const screen = new ThreadScreen(order.name, { typed: (text) => answer({ answer: 'typed', id, text }) });
    screens.set(id, { screen, viewers: new Set() });
    return;
  }
  const kept = screens.get(id);
  if (!kept) return;
  const { screen, viewers } = kept;
  if (order.order === 'write') {
    const { length } = order.bytes;
    // A screen that was closed meanwhile takes no more, which ends no other.
    screen.write(order.bytes, order.past).then(
      () => answer({ answer: 'written', id, length }),
      () => {},
    );
  } else if (order.order === 'view') {
    const viewer = new PortStream(order.port);
    viewers.add(viewer);
    void serveRfb(viewer, textScreen(screen)).finally(() => viewers.delete(viewer));
  } else {
    screens.delete(id);
    for (const viewer of viewers) viewer.destroy();
    screen.close();
  }
}

// On Linux the priority is the calling thread's; elsewhere it would be the whole service's.
if (process.platform === 'linux') setPriority(NICE);
port.on('message', obey);
