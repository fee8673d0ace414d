import { type ChildProcess, spawn } from 'node:child_process';
import { systemClock as clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logging.ts';
import { ENVIRONMENT } from '../../../platform/nftables/program.ts';
import { KernelTables } from '../../../platform/nftables/tables.ts';
import { Reconciler } from '../../../platform/reconciler.ts';
import { ComputeUnavailableError } from '../../driver.ts';
import type { Card } from './card.ts';
import { unavailable } from './commands.ts';
import { TAP_PREFIX } from './names.ts';
import { readCards } from './state.ts';
import { GATE, gateTable } from './table.ts';

/** Changes that come together are checked together. */
const SETTLE_MS = 50;
/** The tables that filter guests, and the gate behind them. */
const TABLES = ['vauban', GATE].flatMap((name) => [`inet ${name}`, `arp ${name}`]);
/** Lines of `ip monitor` that may affect a guest's route. Interfaces that come and go with guests match too. */
const WAYS = new RegExp(`forwarding off|proxy_neigh off|\\b${TAP_PREFIX}`);

interface SentinelOptions {
  /** Checks guests' routes while none of our changes is in progress; calls `look` as soon as it starts to look. */
  waysAreSound(look: () => void): Promise<boolean>;
  logger?: Pick<Logger, 'error'>;
}

/**
 * The guests' tables, with a watch of everything else that their traffic needs: whether routes and settings are still
 * right is checked whenever any of them changes. It also owns a gate: a table that `nft flush ruleset` does not delete
 * as long as this process lives.
 */
export class Sentinel {
  readonly tables: KernelTables<Map<string, Card>>;
  #gate: ChildProcess | undefined;
  #starting: Promise<void> | undefined;
  #altered = false;
  #waiters = new Set<() => void>();
  /** Checks guests' routes once, after a burst of changes has settled. */
  readonly #ways: Reconciler;

  constructor({ waysAreSound, logger }: SentinelOptions) {
    this.#ways = new Reconciler({
      run: async (_, look) => {
        await clock.sleep(SETTLE_MS);
        // Changes made until it looks cause no further check: a change of all guests must not queue hundreds of them.
        if (!(await waysAreSound(look))) this.#alarm();
      },
      onFailure: () => this.#alarm(),
    });
    this.tables = new KernelTables({
      tables: TABLES,
      clock,
      logger,
      ip: {
        objects: ['link', 'route', 'netconf'],
        onLine: (line) => {
          if (WAYS.test(line)) this.#ways.kick();
        },
      },
      read: readCards,
      onAltered: () => {
        // If a program has ended, nothing is watched any longer.
        if (!this.tables.isWatched) this.#stop();
        this.#alarm();
      },
      unavailable: (message, cause) => new ComputeUnavailableError(message, cause),
    });
  }

  get running(): boolean {
    return this.#starting !== undefined;
  }

  /** Resolves when no later change can be missed. Throws {@link ComputeUnavailableError} if that is impossible. */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch((error) => {
      this.#stop();
      throw error;
    });
    return this.#starting;
  }

  /** Call before everything is rebuilt: changes seen before then are forgotten. */
  async begin(): Promise<void> {
    await this.start();
    this.#altered = false;
  }

  /** Resolves with true as soon as another process has altered something, or with false if `signal` aborts first. */
  async altered(signal: AbortSignal): Promise<boolean> {
    if (this.#altered || signal.aborted) return this.#altered;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#waiters.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiters.add(wake);
      signal.addEventListener('abort', wake);
    });
    return this.#altered;
  }

  async close(): Promise<void> {
    this.#stop();
    await this.tables.close();
  }

  async #start(): Promise<void> {
    await this.tables.untilWatched().catch(unavailable);
    this.#keepGate();
  }

  #stop(): void {
    this.#starting = undefined;
    this.#gate?.kill('SIGKILL');
    this.#gate = undefined;
  }

  #alarm(): void {
    this.#altered = true;
    for (const wake of this.#waiters) wake();
  }

  /** If the kernel does not support owned tables, the other gate has to suffice. */
  #keepGate(): void {
    const name = `${GATE}-${process.pid}`;
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'nft', '-i'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: ENVIRONMENT,
    });
    this.#gate = child;
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.stdin.write(`${gateTable(name, true).join('\n')}\n`);
  }
}
