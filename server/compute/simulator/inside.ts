import type { Duplex } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import { freshKeyPair } from '../../platform/ssh-key-pair.ts';
import { serveRfb } from '../../screens/rfb/serve.ts';
import { textScreen } from '../../screens/text-console/text-screen.ts';
import { AgentUnavailableError, ComputeUnavailableError } from '../driver.ts';
import { connectionPair } from './guest-os/connection-pair.ts';
import { powerAt } from './guest-os/model/guest.ts';
import { Console } from './guest-os/screen/console.ts';
import { serveSsh } from './guest-os/ssh/server.ts';
import { System } from './guest-os/system/system.ts';
import { isUp } from './power.ts';
import { has } from './sentinels.ts';
import type { SimulatorStore } from './store.ts';

/** Delay until a connection ends after another process has switched its guest off. One query checks all guests. */
const LOOK_EVERY_MS = 1_000;
/** Maximum connections to one guest on one node; more would be a leak in the caller. */
const MAX_CONNECTIONS = 64;

/** Logged-in consoles without a viewer. Beyond this, the one idle longest is logged out. */
const MAX_UNWATCHED = 50;

interface Watched {
  console: Console;
  viewers: number;
  open: Open;
}

interface Open {
  id: string;
  /**
   * End of the boot that it belongs to, in epoch milliseconds. Undefined for connections to the screen, which survive
   * reboots.
   */
  boot: number | undefined;
  end: AbortController;
}

/** Connections into guests served by this process. They end when their guest powers off. */
export class GuestAccess {
  readonly #store: SimulatorStore;
  readonly #clock: Clock;
  readonly #open = new Set<Open>();
  readonly #consoles = new Map<string, Watched>();
  readonly #closing = new AbortController();
  #watching: Promise<void> | undefined;

  constructor(store: SimulatorStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async openSsh(id: string): Promise<Duplex> {
    const system = await this.#system(id);
    const { run, hostname } = system.guest;
    if (!run || !isUp(system.guest, system.now())) throw new AgentUnavailableError(`${id} is not running`);
    if (has(hostname, 'hasNoSsh')) throw new AgentUnavailableError(`nothing listens on port 22 of ${id}`);
    const open = this.#begin(id, run.bootUntil);
    const stream = serveSsh(system, open.end.signal);
    stream.once('close', () => this.#finish(open));
    return stream;
  }

  /** Opens a connection to the guest's screen. All viewers on this node see the same console. */
  async openVnc(id: string): Promise<Duplex> {
    const system = await this.#system(id);
    if (powerAt(system.guest, system.now()) === 'off') throw new AgentUnavailableError(`${id} is off`);
    const open = this.#begin(id, undefined);
    const watched = this.#consoles.get(id) ?? this.#newConsole(system);
    watched.viewers++;
    const [client, served] = connectionPair();
    open.end.signal.addEventListener('abort', () => client.destroy(), { once: true });
    client.on('error', () => {});
    served.once('close', () => {
      this.#finish(open);
      watched.viewers--;
      this.#tidy(watched);
    });
    serveRfb(served, textScreen(watched.console));
    return client;
  }

  #newConsole(system: System): Watched {
    const { id } = system;
    const open: Open = { id, boot: undefined, end: new AbortController() };
    this.#open.add(open);
    const watched = { console: new Console(system, open.end.signal), viewers: 0, open };
    this.#consoles.set(id, watched);
    open.end.signal.addEventListener('abort', () => this.#consoles.delete(id), { once: true });
    return watched;
  }

  /** Ends an unused console. Also ends the one idle longest if too many are merely logged in. */
  #tidy(watched: Watched): void {
    if (watched.viewers > 0) return;
    if (!watched.console.busy) {
      this.#finish(watched.open);
      return;
    }
    // Delete first, so that the console moves to the end of the map's insertion order.
    this.#consoles.delete(watched.open.id);
    this.#consoles.set(watched.open.id, watched);
    const unwatched = [...this.#consoles.values()].filter(({ viewers }) => viewers === 0);
    if (unwatched.length > MAX_UNWATCHED) this.#finish(unwatched[0]!.open);
  }

  async #system(id: string): Promise<System> {
    const system = await System.open(this.#store.insides, this.#clock, id, () => freshKeyPair().private);
    if (!system) throw new AgentUnavailableError(`the simulator has no guest ${id}`);
    return system;
  }

  #begin(id: string, boot: number | undefined): Open {
    if (this.#closing.signal.aborted) throw new ComputeUnavailableError('the simulator is closed');
    if ([...this.#open].filter((one) => one.id === id).length >= MAX_CONNECTIONS) {
      throw new AgentUnavailableError(`${id} has too many connections`);
    }
    const open: Open = { id, boot, end: new AbortController() };
    this.#open.add(open);
    this.#watching ??= this.#watch();
    return open;
  }

  #finish(open: Open): void {
    this.#open.delete(open);
    open.end.abort();
  }

  /** Ends connections of guests that are off, gone or in another boot. */
  async look(): Promise<void> {
    if (this.#open.size === 0) return;
    // Excludes connections opened during the query, whose result may predate their guest or its current boot.
    const looked = [...this.#open];
    const ids = [...new Set(looked.map(({ id }) => id))];
    const runs = new Map((await this.#store.runsOf(ids)).map(({ id, run }) => [id, run]));
    const now = this.#clock.now().getTime();
    for (const open of looked) {
      const run = runs.get(open.id) ?? null;
      const power = powerAt({ run }, now);
      const same =
        open.boot === undefined ||
        (power === 'running' && (run?.bootUntil === open.boot || now < run!.bootFrom));
      if (power === 'off' || !same) this.#finish(open);
      else this.#consoles.get(open.id)?.console.booted(run!.bootFrom);
    }
  }

  async #watch(): Promise<void> {
    while (this.#open.size > 0 && !this.#closing.signal.aborted) {
      await this.#clock.sleep(LOOK_EVERY_MS, this.#closing.signal).catch(() => {});
      // The database is unavailable, which is reported elsewhere; the next look follows soon.
      await this.look().catch(() => {});
    }
    this.#watching = undefined;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const open of this.#open) this.#finish(open);
    await this.#watching;
  }
}
