import { appendFileSync } from 'node:fs';
import type { Database, Sql, Transaction } from '../../../server/db/database.ts';

export interface RecordedText {
  /** File and function. */
  place: string;
  text: string;
}

/** Functions that pass a statement on: the place is their caller's. */
const PASSES_ON = /\/server\/db\/(database|repeat|postgres[\w-]*|pglite[\w-]*|signals)\.ts|\/test\//;
const FRAME = /^ +at (?:(?:async )?(?<name>[\w.<>#]+) )?.*\/(?<file>server\/[^:]+\.ts):\d+:\d+\)?$/;

/** Returns a function of the service as `file name`. */
function placeOf(stack: string): string {
  const frame = stack
    .split('\n')
    .slice(1)
    .find((line) => FRAME.test(line) && !PASSES_ON.test(line));
  const { file = 'unknown', name = 'anonymous' } = frame?.match(FRAME)?.groups ?? {};
  return `${file} ${name}`;
}

/** Next to the file of the `LockRecorder`, because the same suites are recorded. */
export const textsFile = (locksFile: string) => `${locksFile}.texts`;

/**
 * Watches a database: writes each distinct text of a place in the service to a file, one line each, once per process.
 */
export class TextRecorder {
  readonly #file: string;
  readonly #seen = new Set<string>();
  readonly #works = new WeakMap<object, unknown>();

  constructor(file: string) {
    this.#file = file;
  }

  watch(db: Database): Database {
    return {
      ...db,
      query: (statement) => {
        this.#note(statement);
        return db.query(statement);
      },
      batch: (statements) => {
        for (const statement of statements) this.#note(statement);
        return db.batch(statements);
      },
      transaction: (work) => db.transaction(this.#watched(work)),
    };
  }

  /** Returns the same wrapper for the same `work`: the `LockRecorder` recognizes retries by it. */
  #watched<T>(work: (tx: Transaction) => Promise<T>): (tx: Transaction) => Promise<T> {
    const known = this.#works.get(work) as typeof work | undefined;
    const watched = known ?? ((tx) => work(this.#within(tx)));
    this.#works.set(work, watched);
    return watched;
  }

  #within(tx: Transaction): Transaction {
    return {
      query: (statement) => {
        this.#note(statement);
        return tx.query(statement);
      },
      send: (statement) => {
        this.#note(statement);
        return tx.send(statement);
      },
      afterCommit: (callback) => tx.afterCommit(callback),
    };
  }

  #note({ text }: Sql): void {
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    const recorded: RecordedText = { place: placeOf(new Error().stack ?? ''), text };
    appendFileSync(this.#file, `${JSON.stringify(recorded)}\n`);
  }
}
