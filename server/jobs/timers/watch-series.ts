import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../db/database.ts';
import type { InvoiceType } from '../../db/queries/money/invoices.ts';
import {
  askSeries,
  listSeries,
  nameOfBooks,
  notePlaceOfBooks,
  placesOfBooks,
  type SeriesQuestion,
} from '../../db/queries/money/series.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import { parseJson } from '../../platform/peer/json.ts';

interface SeriesServices {
  db: Database;
  clock: Clock;
  logger: Logger;
  config: { dataDir: string };
}

/** The last numbers this node has seen in the books named `books`. */
interface Seen extends Record<InvoiceType, string> {
  books: string;
}

/** In the data directory, which is not part of a database dump. */
const FILE = 'issued-numbers.json';

/**
 * Notices that the books are an older copy, which may lack document numbers that customers have already received:
 * either the database is not the one recorded in the books, or this node has seen higher numbers. No document is issued
 * then until an operator has said which number was the last.
 */
export class SeriesWatch {
  readonly #services: SeriesServices;
  /** Checked once, because the database does not change while this process is connected to it. */
  #isPlaced = false;

  constructor(services: SeriesServices) {
    this.#services = services;
  }

  /** Must run before documents are issued. */
  async check(): Promise<void> {
    if (!this.#isPlaced) await this.#checkPlace();
    this.#isPlaced = true;
    await this.#checkNumbers();
  }

  /** Must run after documents were issued. */
  async note(): Promise<void> {
    const { db, config } = this.#services;
    const now = await seenIn(db);
    const before = await this.#read();
    if (!now || (before && JSON.stringify(before) === JSON.stringify(now))) return;
    // A write that is cut off must not be what the next start reads.
    const path = join(config.dataDir, FILE);
    await writeFile(`${path}.new`, JSON.stringify(now), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  async #checkPlace(): Promise<void> {
    const { db } = this.#services;
    const { here, noted } = await placesOfBooks(db);
    if (here === noted) return;
    if (noted !== undefined) await this.#ask('moved_database');
    await notePlaceOfBooks(db, here);
  }

  async #checkNumbers(): Promise<void> {
    const seen = await this.#read();
    const now = seen && (await seenIn(this.#services.db));
    if (!now || seen.books !== now.books) return;
    const [invoice, credit_note] = [BigInt(seen.invoice), BigInt(seen.credit_note)];
    if (invoice > BigInt(now.invoice) || credit_note > BigInt(now.credit_note))
      await this.#ask('lost_numbers', { invoice, credit_note });
  }

  async #ask(because: SeriesQuestion, known: Partial<Record<InvoiceType, bigint>> = {}): Promise<void> {
    const { db, clock, logger } = this.#services;
    const isNew = await db.transaction((tx) => askSeries(tx, clock.now(), because, known));
    if (isNew) logger.error({ because }, 'no documents are issued until you run `vaubanctl books series`');
  }

  /** Undefined if the file does not exist or cannot be read. */
  async #read(): Promise<Seen | undefined> {
    try {
      const bytes = await readFile(join(this.#services.config.dataDir, FILE));
      const { books, invoice, credit_note } = parseJson(bytes, FILE) as Record<string, unknown>;
      if (typeof books !== 'string' || !isNumber(invoice) || !isNumber(credit_note)) return undefined;
      return { books, invoice, credit_note };
    } catch {
      return undefined;
    }
  }
}

const isNumber = (value: unknown): value is string => typeof value === 'string' && /^\d{1,18}$/.test(value);

async function seenIn(db: Database): Promise<Seen | undefined> {
  const books = await nameOfBooks(db);
  if (books === undefined) return undefined;
  const last = Object.fromEntries((await listSeries(db)).map(({ type, last }) => [type, String(last)]));
  return { books, ...(last as Record<InvoiceType, string>) };
}
