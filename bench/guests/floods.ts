// Loads with which a guest takes all it can get, and measurements of another guest at the same time.
import { once } from 'node:events';
import { connect } from 'node:net';
import { median } from '../statistics.ts';
import type { Shell } from './shell.ts';

/** The internet's end of the wire; nothing listens there. */
const STRANGER = '198.51.100.1';
/** Ends any flood. */
const STOP = '/stop';

/** The command that each virtual CPU of the guest repeats, by the resource that it uses up. */
export const FLOODS = {
  disk: `dd if=/dev/zero of=/flood-$1 bs=1M count=64 conv=fsync 2>/dev/null`,
  network: `timeout 5 nc -u ${STRANGER} 9 </dev/zero 2>/dev/null`,
  CPU: 'i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done',
} as const;
export type Flood = keyof typeof FLOODS;

/** Floods with each of a guest's CPUs; returns a function that ends it. */
export async function flood(shell: Shell, what: Flood, vcpu: number): Promise<() => Promise<void>> {
  const loop = `flood() { while [ ! -e ${STOP} ]; do ${FLOODS[what]}; done; }`;
  const each = Array.from({ length: vcpu }, (_, n) => `flood ${n} &`).join(' ');
  const ended = shell.run(`rm -f ${STOP}; ${loop}; ${each} wait; rm -f /flood-*`);
  // Awaited at the end; until then a failure must not end the process.
  ended.catch(() => {});
  return async () => {
    await shell.run(`touch ${STOP}`);
    await ended;
  };
}

/** Returns the seconds that something takes the guest, as the median or mean of some samples. */
export type Measure = () => Promise<number>;

const WRITES = 32;
const ROUND_TRIPS = 40;
const DOWNLOAD_MB = 16;
const DOWNLOAD_PORT = 9_000;
const STEPS = 30_000;
/** Nothing listens there, so the guest's kernel refuses immediately. */
const CLOSED_PORT = 9;

/** Returns the measurements of a guest at `address`; makes its disk write through from now on. */
export async function measuresOf(shell: Shell, address: string): Promise<Record<string, Measure>> {
  const write = `dd if=/dev/zero of=/probe bs=4k count=${WRITES} conv=notrunc 2>/dev/null`;
  const serve = `nc -ll -p ${DOWNLOAD_PORT} -e dd if=/dev/zero bs=64k count=${DOWNLOAD_MB * 16}`;
  await shell.run(`${write}; sync; mount -o remount,sync /; (${serve}) </dev/null >/dev/null 2>&1 &`);
  return {
    'disk: 4 kB written through': async () => (await timed(() => shell.run(write))) / WRITES,
    'network: a round trip': async () => {
      const trips: number[] = [];
      for (let n = 0; n < ROUND_TRIPS; n++) trips.push(await timed(() => refused(address)));
      return median(trips);
    },
    [`network: ${DOWNLOAD_MB} MB received`]: () => timed(() => download(address)),
    'CPU: a fixed piece of work': () =>
      timed(() => shell.run(`i=0; while [ $i -lt ${STEPS} ]; do i=$((i+1)); done`)),
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

async function refused(host: string): Promise<void> {
  const socket = connect({ host, port: CLOSED_PORT });
  const [error] = await once(socket, 'error');
  if (error.code !== 'ECONNREFUSED') throw error;
}

async function download(host: string): Promise<void> {
  const socket = connect({ host, port: DOWNLOAD_PORT });
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(socket, 'close');
  if (bytes !== DOWNLOAD_MB * 2 ** 20) throw new Error(`${bytes} bytes were received`);
}
