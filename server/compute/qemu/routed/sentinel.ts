import { type ChildProcess, spawn } from 'node:child_process';
import { systemClock as clock } from '../../../platform/clock.ts';
import { ENVIRONMENT } from '../../../platform/nft.ts';
import { changeReader, listen } from '../../../platform/nft-changes.ts';
import { Reconciler } from '../../../platform/reconciler.ts';
import { ComputeUnavailableError } from '../../driver.ts';
import { until } from '../process/timeouts.ts';
import { applyBatch, SIGNATURE } from './commands.ts';
import { TAP_PREFIX } from './names.ts';
import { GATE, gateTable } from './table.ts';

/** The kernel reports a change immediately, but a busy host may need a while to start two programs. */
const START_MS = 10_000;
const TRY_EVERY_MS = 20;
/** Changes that come together are checked together. */
const SETTLE_MS = 50;
/** A change of our tables, as `nft monitor` prints it. */
const OURS = new RegExp(`^\\S+ \\S+ (inet|arp) (vauban|${GATE})( |$)`);
/** Lines of `ip monitor` that may affect a guest's route. Interfaces that come and go with guests match too. */
const WAYS = new RegExp(`forwarding off|proxy_neigh off|\\b${TAP_PREFIX}`);

/**
 * Detects immediately when another process has altered the network. The kernel announces every table change; one
 * without our signature comes from another process. Whether routes and settings are still right is checked whenever any
 * of them changes. It also owns a gate: a table that `nft flush ruleset` does not delete as long as this process lives.
 */
export class Sentinel {
  #children: ChildProcess[] = [];
  #starting: Promise<void> | undefined;
  /** Number of our changes that the kernel has not announced yet. */
  #expected = 0;
  #heard = 0;
  #altered = false;
  #waiters = new Set<() => void>();
  /** Checks guests' routes once, after a burst of changes has settled. */
  readonly #ways: Reconciler;

  /** `waysAreSound` runs while none of our changes is in progress, and calls `look` as soon as it starts to look. */
  constructor(waysAreSound: (look: () => void) => Promise<boolean>) {
    this.#ways = new Reconciler({
      run: async (_, look) => {
        await clock.sleep(SETTLE_MS);
        // Changes made until it looks cause no further check: a change of all guests must not queue hundreds of them.
        if (!(await waysAreSound(look))) this.#alarm();
      },
      onFailure: () => this.#alarm(),
    });
  }

  get running(): boolean {
    return this.#starting !== undefined;
  }

  /** Resolves when no later change can be missed. Throws {@link ComputeUnavailableError} if that is impossible. */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch((error) => {
      this.close();
      throw error;
    });
    return this.#starting;
  }

  /** Call before each of our changes. Call the returned function if the change fails. */
  expect(): () => void {
    this.#expected++;
    return () => {
      this.#expected = Math.max(0, this.#expected - 1);
    };
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

  close(): void {
    const children = this.#children.splice(0);
    this.#starting = undefined;
    for (const child of children) child.kill('SIGKILL');
  }

  async #start(): Promise<void> {
    const tables = this.#listen('nft', ['monitor'], this.#tableReader());
    this.#listen('ip', ['-o', 'monitor', 'link', 'route', 'netconf'], (line) => {
      if (WAYS.test(line)) this.#ways.kick();
    });
    const before = this.#heard;
    await until(
      clock,
      START_MS,
      'the changes of the tables cannot be watched',
      async () => {
        if (tables.exitCode !== null) throw new ComputeUnavailableError('nft monitor has ended');
        await applyBatch([]);
        return this.#heard > before;
      },
      TRY_EVERY_MS,
    );
    this.#expected = 0;
    this.#keepGate();
  }

  /** If the program ends, nothing is watched any longer, so everything is considered altered. */
  #listen(program: string, args: string[], line: (line: string) => void): ChildProcess {
    const end = () => {
      if (!this.#children.includes(child)) return;
      this.close();
      this.#alarm();
    };
    const child = listen(program, args, { line, end });
    this.#children.push(child);
    return child;
  }

  #tableReader(): (line: string) => void {
    return changeReader({
      ours: OURS,
      signature: SIGNATURE,
      onSigned: () => {
        this.#heard++;
        this.#expected = Math.max(0, this.#expected - 1);
      },
      onForeign: () => this.#alarm(),
      onLost: () => {
        // Lost announcements may belong to a large change of ours that exceeded the kernel's buffer. If we expect none,
        // they may be anyone's.
        if (this.#expected === 0) this.#alarm();
        this.#expected = 0;
      },
    });
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
    this.#children.push(child);
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.stdin.write(`${gateTable(name, true).join('\n')}\n`);
  }
}
