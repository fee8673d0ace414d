import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { isInstalled } from '../../scripts/installed.ts';
import { sql } from '../../server/db/database.ts';
import { defer, type Lifetime } from '../../test/support/cleanup.ts';
import { type Bench, makePlace, prepare, type Section } from '../bench.ts';
import { makeCustomers, storedVmId, storeVms } from '../customers.ts';
import { during } from '../lifetime.ts';
import { freePort, startScreenService, untilListening } from '../process.ts';
import { atLeast, atMost, type Claim, leftOut } from '../report.ts';
import { FRAME, SMALL_UPDATE, updateRequest } from '../screen.ts';
import { compare, median } from '../statistics.ts';

const ABOUT = "a screen's bytes a second ÷ websockify's";
const MISSING = 'websockify not installed: apt-get install websockify';
const ROUNDS = 7;
const FRAMES = 40;
const SMALL_UPDATES = 500;
/** Both do what the kernel allows; the remaining difference is how two processes are scheduled. */
const MINIMUM_RATIO = 0.9;
const MAXIMUM_LATENCY_RATIO = 1.1;
const MEGABYTE = 1e6;

export const vnc: Section = {
  name: 'vnc',
  about: 'a screen through the service and through websockify',
  async run(bench) {
    if (!isInstalled('websockify')) return [leftOut(ABOUT, MISSING)];
    return during((life) => measure(life, bench));
  },
};

/** A viewer that requests the next update once the last one is complete. */
class Viewer {
  readonly #ws: WebSocket;
  #missing = 0;
  #whole: () => void = () => {};

  private constructor(ws: WebSocket) {
    this.#ws = ws;
    ws.on('message', (bytes: Buffer) => {
      this.#missing -= bytes.length;
      if (this.#missing === 0) this.#whole();
    });
  }

  static async open(url: string, protocols: string[]): Promise<Viewer> {
    const ws = new WebSocket(url, protocols, { perMessageDeflate: false });
    const viewer = new Viewer(ws);
    await once(ws, 'open');
    return viewer;
  }

  async update(incremental: boolean): Promise<void> {
    this.#missing = incremental ? SMALL_UPDATE.length : FRAME.length;
    const whole = new Promise<void>((resolve) => {
      this.#whole = resolve;
    });
    this.#ws.send(updateRequest(incremental));
    await whole;
  }

  /** Returns the MB per second of full-screen updates. */
  async throughput(): Promise<number> {
    const startedAt = performance.now();
    for (let frame = 0; frame < FRAMES; frame++) await this.update(false);
    return (FRAMES * FRAME.length) / MEGABYTE / ((performance.now() - startedAt) / 1000);
  }

  /** Returns the number of small updates per second, one after another. */
  async pace(): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < SMALL_UPDATES; n++) {
      const startedAt = performance.now();
      await this.update(true);
      times.push(performance.now() - startedAt);
    }
    return 1000 / median(times);
  }

  close(): void {
    this.#ws.terminate();
  }
}

async function measure(life: Lifetime, bench: Bench): Promise<Claim[]> {
  const screen = join(bench.workspace, 'screen.sock');
  const source = fork(join(import.meta.dirname, '../screen-source.ts'), [screen]);
  endWith(life, source);
  await once(source, 'message');
  const ours = await openOurs(life, bench, screen);
  const theirs = await openWebsockify(life, screen);
  for (const viewer of [ours, theirs]) {
    await viewer.throughput();
    await viewer.pace();
  }
  const bytes = await compare(
    ROUNDS,
    () => ours.throughput(),
    () => theirs.throughput(),
  );
  const pace = await compare(
    ROUNDS,
    () => ours.pace(),
    () => theirs.pace(),
  );
  ours.close();
  theirs.close();
  const slower = 1 / pace.ratio;
  return [
    atLeast(ABOUT, MINIMUM_RATIO, bytes.ratio, `${bytes.a} and ${bytes.b} MB/s`),
    atMost(
      "a screen's latency ÷ websockify's",
      MAXIMUM_LATENCY_RATIO,
      slower,
      '×',
      `${pace.a} and ${pace.b} updates a second, one after the other`,
    ),
  ];
}

async function openOurs(life: Lifetime, bench: Bench, screen: string): Promise<Viewer> {
  const place = await makePlace(bench, bench.engines[0]!);
  const key = await prepare(place, async (db) => {
    const [customer] = await makeCustomers(db, 1);
    await storeVms(db, customer!.accountId, 0, 1);
    await db.query(sql`update vms set status = 'running'`);
    return customer!.keys[0]!;
  });
  const server = await startScreenService(place, screen);
  defer(life, () => server[Symbol.asyncDispose]());
  const reply = await fetch(`http://127.0.0.1:${server.port}/v1/vm/${storedVmId(0)}/console`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { data } = (await reply.json()) as { data: { ws_url: string; ticket: string } };
  return Viewer.open(data.ws_url, ['binary', data.ticket]);
}

async function openWebsockify(life: Lifetime, screen: string): Promise<Viewer> {
  const port = await freePort();
  const child = spawn('websockify', [`127.0.0.1:${port}`, `--unix-target=${screen}`], { stdio: 'ignore' });
  endWith(life, child);
  await untilListening(port, child);
  return Viewer.open(`ws://127.0.0.1:${port}/`, ['binary']);
}

function endWith(life: Lifetime, child: ChildProcess): void {
  const exit = once(child, 'exit');
  defer(life, async () => {
    child.kill('SIGTERM');
    await exit;
  });
}
