import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../../platform/clock.ts';
import type { Screen } from '../../../screens/rfb/screen.ts';
import { serveRfb } from '../../../screens/rfb/serve.ts';
import { SpiceScreen } from '../../../screens/spice/screen.ts';
import { textScreen } from '../../../screens/text-console/text-screen.ts';
import type { Answer, Order } from './messages.ts';
import { PortStream } from './port-stream.ts';
import { Share } from './share.ts';
import { ThreadScreen } from './thread-screen.ts';

// The thread that keeps the guests' screens. Here, neither hostile guest output nor the demands of viewers can delay
// the service's requests.

/** Lower priority than the service's main thread, for when processors are scarce. */
const NICE = 10;
/** Shares of the thread's time for processing what one guest paints, and for drawing its pictures. */
const PAINTING_SHARE = 0.2;
const DRAWING_SHARE = 0.2;
/**
 * Longest wait of a viewer for the first picture, which decides the size announced to it; a guest may have no graphics
 * card.
 */
const FIRST_PICTURE_MS = 2_000;

interface Kept {
  /** Resolves with the screen to serve to viewers, once it has a size. */
  ready(): Promise<Screen>;
  obey(order: Order): void;
  close(): void;
  viewers: Set<PortStream>;
}

const screens = new Map<number, Kept>();
const port = parentPort!;
const answer = (what: Answer) => port.postMessage(what);

function keepText(id: number, name: string): Kept {
  const screen = new ThreadScreen(name, { typed: (text) => answer({ answer: 'typed', id, text }) });
  return {
    viewers: new Set(),
    ready: async () => textScreen(screen),
    close: () => screen.close(),
    obey(order) {
      if (order.order !== 'write') return;
      const { length } = order.bytes;
      // A write to a screen that has been closed in the meantime fails, which must not affect the other screens.
      screen.write(order.bytes, order.past).then(
        () => answer({ answer: 'written', id, length }),
        () => {},
      );
    },
  };
}

function keepGraphics(id: number, name: string): Kept {
  const painting = new Share(PAINTING_SHARE);
  const drawing = new Share(DRAWING_SHARE);
  const screen = new SpiceScreen({
    name,
    paint: (work) => painting.take(async () => work()),
    draw: (work) => drawing.take(async () => work()),
  });
  const connections = new Set<PortStream>();
  return {
    viewers: new Set(),
    async ready() {
      await Promise.race([screen.painted, systemClock.sleep(FIRST_PICTURE_MS)]);
      return screen;
    },
    close() {
      for (const connection of connections) connection.destroy();
    },
    obey(order) {
      if (order.order !== 'attach') return;
      const main = new PortStream(order.main);
      const display = new PortStream(order.display);
      const inputs = new PortStream(order.inputs);
      for (const each of [main, display, inputs]) {
        connections.add(each);
        each.once('close', () => connections.delete(each));
      }
      void screen.attach({ main, display, inputs }).then((reason) => {
        if (reason !== undefined) answer({ answer: 'refused', id, reason });
      });
    },
  };
}

async function view({ ready, viewers }: Kept, viewer: PortStream): Promise<void> {
  viewers.add(viewer);
  viewer.once('close', () => viewers.delete(viewer));
  viewer.on('error', () => {});
  const screen = await ready();
  if (!viewer.destroyed) await serveRfb(viewer, screen);
}

function obey(order: Order): void {
  const { id } = order;
  if (order.order === 'open') {
    screens.set(id, order.kind === 'text' ? keepText(id, order.name) : keepGraphics(id, order.name));
    return;
  }
  const kept = screens.get(id);
  if (!kept) return;
  if (order.order === 'view') void view(kept, new PortStream(order.port));
  else if (order.order === 'close') {
    screens.delete(id);
    for (const viewer of kept.viewers) viewer.destroy();
    kept.close();
  } else kept.obey(order);
}

// On Linux, this sets the priority of the calling thread only; on other systems it would be that of the whole service.
if (process.platform === 'linux') setPriority(NICE);
port.on('message', obey);
