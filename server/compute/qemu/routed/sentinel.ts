import { type ChildProcess, spawn } from 'node:child_process';
import { systemClock as clock } from '../../../platform/clock.ts';
import { ENVIRONMENT } from '../../../platform/nft.ts';
import { changeReader, listen } from '../../../platform/nft-changes.ts';
import { ComputeUnavailableError } from '../../driver.ts';
import { until } from '../timeouts.ts';
import { applyBatch, SIGNATURE } from './commands.ts';
import { TAP_PREFIX } from './names.ts';
import { GATE, gateTable } from './table.ts';

/** The kernel reports a change at once; a busy host may need its time to start two programs. */
const START_MS = 10_000;
const TRY_EVERY_MS = 20;
/** What changes together is looked at together. */
const SETTLE_MS = 50;
/** A change of our tables, as `nft monitor` writes it. */
const OURS = new RegExp(`^\\S+ \\S+ (inet|arp) (vauban|${GATE})( |$)`);
/** Of `ip monitor`: what a guest's way may hang on. Interfaces that are made and go as guests do are looked at with it. */
const WAYS = new RegExp(`forwarding off|proxy_neigh off|\\b${TAP_PREFIX}`);

/**
 * Notices at once when another process has altered what the network made. The kernel announces every change of its
 * tables; one without our signature is another's. Whether ways are as they should be is asked when any of them changed.
 * Beside that it owns a gate: a table that `nft flush ruleset` leaves alone, for as long as this process lives.
 */
export class Sentinel {
  readonly #waysAreSound: (begin: () => void) => Promise<boolean>;
  #children: ChildProcess[] = [];
  #starting: Promise<void> | undefined;
  /** Changes of ours that the kernel has not announced yet. */
  #expected = 0;
  #heard = 0;
  #altered = false;
  #waiters = new Set<() => void>();
  #looking = false;

  /** `waysAreSound` is asked while no change of ours is under way, and calls what it is given as soon as it looks. */
  constructor(waysAreSound: (begin: () => void) => Promise<boolean>) {
    this.#waysAreSound = waysAreSound;
  }

  get running(): boolean {
    return this.#starting !== undefined;
  }

  /** Resolves when nothing that happens from now on is missed; {@link ComputeUnavailableError} where that cannot be. */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch((error) => {
      this.close();
      throw error;
    });
    return this.#starting;
  }

  /** To be called before a change of ours; what it returns, when it has failed. */
  expect(): () => void {
    this.#expected++;
    return () => {
      this.#expected = Math.max(0, this.#expected - 1);
    };
  }

  /** Call this before everything is rebuilt: changes seen until then are forgotten. */
  async begin(): Promise<void> {
    await this.start();
    this.#altered = false;
  }

  /** True as soon as another process has altered something, false when `signal` aborts before. */
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
      if (WAYS.test(line)) this.#look();
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

  /** Without the program nothing is watched: then all is in doubt. */
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
        // Of a change of ours that is larger than what the kernel keeps; else it may have been anybody's.
        if (this.#expected === 0) this.#alarm();
        this.#expected = 0;
      },
    });
  }

  /** Asks once whether guests' ways are as they should be, when what has changed has settled. */
  #look(): void {
    if (this.#looking) return;
    this.#looking = true;
    clock
      .sleep(SETTLE_MS)
      .then(() =>
        // Until then whatever changes is seen by this look: a change of all guests must not have hundreds wait.
        this.#waysAreSound(() => {
          this.#looking = false;
        }),
      )
      .then(
        (sound) => sound || this.#alarm(),
        () => {
          this.#looking = false;
          this.#alarm();
        },
      );
  }

  #alarm(): void {
    this.#altered = true;
    for (const wake of this.#waiters) wake();
  }

  /** Where the kernel knows no owned tables the other gate has to do. */
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
