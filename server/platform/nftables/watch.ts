import type { ChildProcess } from 'node:child_process';
import type { Clock } from '../clock.ts';
import { changeReader, listen } from './changes.ts';

/** The kernel reports a change immediately, but a busy host may need a while to start two programs. */
const START_MS = 10_000;
const TRY_EVERY_MS = 20;

export interface TableWatchOptions {
  clock: Clock;
  /** Our tables, with their families: "inet vauban". */
  tables: readonly string[];
  /** The table that is added and deleted in each of our own changes. */
  signature: string;
  /** Reports of `ip monitor` that concern the tables as well. */
  ip?: { objects: readonly string[]; onLine(line: string): void };
  /** Something other than us may have altered our tables; called at least once for each change. */
  onDoubt(): void;
  /** True if reports that were lost during a change of ours can only be about that change. */
  trustsOwn?: boolean;
}

/**
 * Detects immediately when another process alters our tables: the kernel announces each change. If the listening
 * programs end, everything counts as altered; the next `start` runs them again.
 */
export class TableWatch {
  readonly #options: TableWatchOptions;
  #children: ChildProcess[] = [];
  /** Number of our changes that the kernel has not announced yet. */
  #expected = 0;
  #heard = 0;

  constructor(options: TableWatchOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#children.length > 0;
  }

  /** Starts listening; does nothing if it already is. */
  start(): void {
    if (this.isRunning) return;
    const { tables, signature, ip, onDoubt } = this.#options;
    const line = changeReader({
      tables,
      signature,
      onSigned: () => {
        this.#heard++;
        this.#expected = Math.max(0, this.#expected - 1);
      },
      onForeign: onDoubt,
      onLost: () => this.#lose(),
    });
    this.#listen('nft', ['monitor'], line);
    if (ip) this.#listen('ip', ['-o', 'monitor', ...ip.objects], ip.onLine);
  }

  /** Resolves once no later change can be missed: `touch` makes changes of ours until one is heard. */
  async untilHearing(touch: () => Promise<void>): Promise<void> {
    const { clock } = this.#options;
    const before = this.#heard;
    const deadline = clock.now().getTime() + START_MS;
    for (;;) {
      if (!this.isRunning) throw new Error('nft monitor has ended');
      await touch();
      if (this.#heard > before) break;
      if (clock.now().getTime() > deadline) throw new Error('the changes of the tables cannot be watched');
      await clock.sleep(TRY_EVERY_MS);
    }
    this.#expected = 0;
  }

  /** Call before each of our changes. Call the returned function if the change fails. */
  expect(): () => void {
    this.#expected++;
    return () => {
      this.#expected = Math.max(0, this.#expected - 1);
    };
  }

  close(): void {
    for (const child of this.#children.splice(0)) child.kill('SIGKILL');
  }

  #listen(program: string, args: string[], line: (line: string) => void): void {
    const end = () => {
      if (!this.#children.includes(child)) return;
      this.close();
      this.#options.onDoubt();
    };
    const child = listen(program, args, { line, end });
    this.#children.push(child);
  }

  /** Lost reports may belong to a large change of ours that exceeded the kernel's buffer. */
  #lose(): void {
    const isOurs = this.#options.trustsOwn === true && this.#expected > 0;
    this.#expected = 0;
    if (!isOurs) this.#options.onDoubt();
  }
}
