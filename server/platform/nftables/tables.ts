import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logging.ts';
import { Reconciler } from '../reconciler.ts';
import { Lanes } from './lanes.ts';
import { applyNftBatch } from './program.ts';
import { TableWatch, type TableWatchOptions } from './watch.ts';

/** Interval at which changes that the kernel did not announce are noticed. */
const VERIFY_EVERY_MS = 60_000;
/** Tables that are rebuilt this often within this time are not altered by accident. */
const MANY_REBUILDS = 5;
const REBUILDS_WITHIN_MS = 60_000;

export interface KernelTablesOptions<Content> {
  /** The tables with their families, the main one first: "inet vauban". */
  tables: readonly string[];
  clock: Clock;
  /** Told if the tables are rebuilt again and again. */
  logger?: Pick<Logger, 'error'>;
  /** Reports of `ip monitor` that concern the tables as well. */
  ip?: TableWatchOptions['ip'];
  /** Reads the tables; undefined unless they exist and are as this version creates them. */
  read(): Promise<Content | undefined>;
  /**
   * Returns true if tables that were just read are as they were left. If absent, every change by another process
   * counts: for tables that are rebuilt as quickly as they are compared.
   */
  isSame?(found: Content, known: Content): boolean;
  /** Another process has altered the tables, or may have: they must be given everything again. */
  onAltered(): void;
  /** Makes the error for a failure of nft. */
  unavailable(message: string, options: ErrorOptions): Error;
}

/**
 * The tables of one user in the kernel: what they hold as far as this process, their only writer, knows, changes in
 * batches that apply as a whole, and a watch for changes by others. The user says what they contain.
 */
export class KernelTables<Content> {
  readonly #options: KernelTablesOptions<Content>;
  /** Part of every change this process makes, so that the watch recognises it. */
  readonly #signature: string;
  readonly #watch: TableWatch;
  /** Makes sure that each change is based on one state and waits for no reading. */
  readonly lanes = new Lanes();
  #known: Content | undefined;
  /** Raised by every loss, so that what was read or written before it does not count as known after it. */
  #losses = 0;
  #verifiedAt = 0;
  /** Compares the tables in the kernel with the known content; several simultaneous doubts cause one comparison. */
  readonly #verifying = new Reconciler({
    run: (signal, look) => this.#verify(signal, look),
    onFailure: () => this.lose(),
  });
  #rebuilds: number[] = [];
  #alarmedAt = 0;

  constructor(options: KernelTablesOptions<Content>) {
    this.#options = options;
    this.#signature = `${options.tables[0]}-own-${randomBytes(6).toString('hex')}`;
    this.#watch = new TableWatch({
      ...options,
      signature: this.#signature,
      onDoubt: () => this.doubt(),
      trustsOwn: options.isSame === undefined,
    });
  }

  /** The tables' content; undefined if they must be read or rebuilt. */
  get known(): Content | undefined {
    return this.#known;
  }

  get isWatched(): boolean {
    return this.#watch.isRunning;
  }

  watch(): void {
    this.#watch.start();
  }

  /** Watches, and resolves when no later change can be missed. */
  async untilWatched(): Promise<void> {
    this.#watch.start();
    try {
      await this.#watch.untilHearing(() => this.#apply([]));
    } catch (error) {
      this.#watch.close();
      throw error;
    }
  }

  /** Returns what the tables hold, reading them if that is not known; undefined if they must be rebuilt. */
  async content(): Promise<Content | undefined> {
    if (this.#known !== undefined) return this.#known;
    const losses = this.#losses;
    const found = await this.read();
    if (this.#losses === losses) this.#known ??= found;
    return this.#known ?? found;
  }

  /** Makes the next change read the tables. */
  forget(): void {
    this.#losses++;
    this.#known = undefined;
  }

  /** Reads the tables, whatever is known of them. */
  read(): Promise<Content | undefined> {
    this.#verifiedAt = this.#now();
    return this.#options.read();
  }

  /** Applies a batch, all of it or nothing. If that fails, the tables may not be as known, so they are read again. */
  async apply(lines: string[]): Promise<void> {
    if (lines.length > 0) await this.#apply(lines);
  }

  /**
   * Applies the batch that `write` builds from the tables' content, and remembers the new content. If the kernel
   * refuses it, another process may have changed the tables, so this tries once more with their content in the kernel.
   */
  async change(
    write: (
      content: Content | undefined,
      isKnown: boolean,
    ) => Promise<{ lines: string[]; content: Content }> | { lines: string[]; content: Content },
  ): Promise<void> {
    const isKnown = this.#known !== undefined;
    const losses = this.#losses;
    try {
      const { lines, content } = await write(await this.content(), isKnown);
      await this.apply(lines);
      if (this.#losses === losses) this.#known = content;
    } catch (error) {
      this.#known = undefined;
      if (!isKnown) throw error;
      await this.change(write);
    }
  }

  /** Records the content of tables that were just read, or changed since. */
  hold(content: Content): void {
    this.#known = content;
    this.#verifiedAt = this.#now();
  }

  /** Records that everything was rebuilt, and why. */
  rebuilt(content: Content, why: string): void {
    this.#known = content;
    this.#verifiedAt = this.#now();
    const since = this.#now() - REBUILDS_WITHIN_MS;
    this.#rebuilds = [...this.#rebuilds.filter((at) => at > since), this.#now()];
    if (this.#rebuilds.length < MANY_REBUILDS || this.#alarmedAt > since) return;
    this.#alarmedAt = this.#now();
    this.#options.logger?.error(
      {
        tables: this.#options.tables,
        times: this.#rebuilds.length,
        seconds: REBUILDS_WITHIN_MS / 1_000,
        why,
      },
      'the tables are rebuilt again and again: another program alters them, or they cannot be read back',
    );
  }

  /** Reports that the tables no longer hold what they were given; once, until they have been given it again. */
  lose(): void {
    this.forget();
    this.#options.onAltered();
  }

  /** Another process may have changed the tables: they are soon compared with the known content. */
  doubt(): void {
    if (this.#options.isSame) this.#verifying.kick();
    else this.#options.onAltered();
  }

  /** Compares the tables in the kernel with the known content if that was last done a while ago. */
  verifyNowAndThen(): void {
    if (!this.#known || !this.isStale) return;
    this.#verifiedAt = this.#now();
    this.doubt();
  }

  /** True if the tables were last read or rebuilt a while ago. */
  get isStale(): boolean {
    return this.#now() - this.#verifiedAt >= VERIFY_EVERY_MS;
  }

  async close(): Promise<void> {
    await this.#verifying.close();
    this.#watch.close();
    await this.lanes.idle();
  }

  async #apply(lines: string[]): Promise<void> {
    const failed = this.#watch.expect();
    try {
      await applyNftBatch(lines, this.#signature);
    } catch (error) {
      failed();
      this.#known = undefined;
      const { message, cause } = error as Error;
      throw this.#options.unavailable(message, { cause });
    }
  }

  /** Compares again when nothing is being written if there was a difference during a write. */
  async #verify(signal: AbortSignal, look: () => void): Promise<void> {
    const isAsGiven = await this.lanes.read(() => {
      look();
      return this.#isAsGiven();
    });
    const isSound = isAsGiven || (await this.lanes.write(() => this.#isAsGiven()));
    if (signal.aborted) return;
    if (isSound) this.watch();
    else this.lose();
  }

  async #isAsGiven(): Promise<boolean> {
    if (this.#known === undefined) return false;
    const found = await this.read();
    const known = this.#known;
    return found !== undefined && known !== undefined && this.#options.isSame!(found, known);
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }
}
