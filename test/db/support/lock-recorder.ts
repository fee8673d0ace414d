import { appendFileSync } from 'node:fs';
import type { Database, Queryable, Sql, Transaction } from '../../../server/db/database.ts';
import { sql } from '../../../server/db/database.ts';

/**
 * The ways in which a transaction locks a table's rows. `write`, `upsert`, `delete` and `lock` wait for the row's
 * present holder; `skip` locks without having waited; `insert` is for new rows; `refer` is a foreign key's check of the
 * referenced row. `unread` is a table that is locked according to the server although no parsed statement locks it.
 */
export type LockKind =
  | 'write'
  | 'upsert'
  | 'delete'
  | 'lock'
  | 'lock for key'
  | 'skip'
  | 'insert'
  | 'refer'
  | 'unread';
export interface LockStep {
  kind: LockKind;
  table: string;
}

const FIRST_TRY_FAILS = Object.assign(new Error('the first try is made to fail'), { code: '40001' });

/** Foreign keys by referencing table, and those that delete their rows together with the referenced row. */
interface Keys {
  parents: Map<string, string[]>;
  cascades: Map<string, string[]>;
}

async function readKeys(db: Queryable): Promise<Keys> {
  const rows = await db.query<{ child: string; parent: string; cascades: boolean }>(sql`
    select conrelid::regclass::text as child, confrelid::regclass::text as parent, confdeltype = 'c' as cascades
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`);
  const parents = Map.groupBy(rows, ({ child }) => child);
  const cascades = Map.groupBy(
    rows.filter((row) => row.cascades),
    ({ parent }) => parent,
  );
  const names = (grouped: Map<string, typeof rows>, pick: 'child' | 'parent') =>
    new Map([...grouped].map(([name, group]) => [name, group.map((row) => row[pick])]));
  return { parents: names(parents, 'parent'), cascades: names(cascades, 'child') };
}

const CLAUSE =
  /\binsert into (?<insert>[\w.]+)|\bupdate (?<update>[\w.]+)(?: \w+)? set\b|\bdelete from (?<delete>[\w.]+)|\bfor (?:(?<noKey>no key update|share)|update)(?: of (?<of>\w+))?(?<skip> skip locked)?|\bpg_advisory_xact_lock(?<advisory>)\(/g;

/** Returns the query that ends at `end`, without its subqueries. */
function queryBefore(text: string, end: number): string {
  let depth = 0;
  let query = '';
  for (let at = end - 1; at >= 0 && depth >= 0; at--) {
    const letter = text[at]!;
    if (letter === '(') depth--;
    if (depth === 0) query = letter + query;
    if (letter === ')') depth++;
  }
  return query;
}

/** Returns the steps of one statement in textual order. */
function stepsOf(text: string): LockStep[] {
  const flat = text.replace(/\s+/g, ' ');
  const found = [...flat.matchAll(CLAUSE)];
  const steps = found.flatMap((match, index): LockStep[] => {
    const { groups = {} } = match;
    const end = found[index + 1]?.index ?? flat.length;
    if (groups.insert) {
      // MAC addresses are drawn at random: two new VMs that draw the same one do not establish an order.
      const waits = /on conflict (?!\(mac\))/.test(flat.slice(match.index, end));
      return [{ kind: waits ? 'upsert' : 'insert', table: groups.insert }];
    }
    if (groups.update) return [{ kind: 'write', table: groups.update }];
    if (groups.delete) return [{ kind: 'delete', table: groups.delete }];
    if (groups.advisory !== undefined) return [{ kind: 'lock', table: 'advisory locks' }];
    const from = [...queryBefore(flat, match.index).matchAll(/\bfrom (\w+)/g)].at(-1)?.[1];
    const kind = groups.skip ? 'skip' : groups.noKey ? 'lock' : 'lock for key';
    return [{ kind, table: groups.of ?? from ?? 'unknown' }];
  });
  // Rows that were selected with `skip locked` are already locked when they are written.
  const picked = new Set(steps.flatMap(({ kind, table }) => (kind === 'skip' ? [table] : [])));
  return steps.map((step) =>
    picked.has(step.table) && (step.kind === 'write' || step.kind === 'delete')
      ? { ...step, kind: 'skip' }
      : step,
  );
}

/** Tables that a table's own triggers lock before rows are inserted; the lock on its owner covers them. */
const TRIGGERED: Record<string, { table: string; owner: string }> = {
  journal: { table: 'journal_heads', owner: 'wallets' },
};

/** The locks of one transaction so far. */
class Trace {
  readonly steps: LockStep[] = [];
  readonly #keys: Keys;
  /** Tables whose locks the statements explain. */
  readonly #explained = new Set<string>();
  /** Ids of rows that the transaction inserted itself, by table: no other transaction can wait for those. */
  readonly #own = new Map<string, Set<unknown>>();

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  note({ text, values }: Sql): void {
    const isOwn = (table: string) => values.some((value) => this.#own.get(table)?.has(value));
    for (const step of stepsOf(text)) {
      const { kind, table } = step;
      const parents = this.#keys.parents.get(table) ?? [];
      for (const name of [table, ...parents]) this.#explained.add(name);
      // A row written with "on conflict" is either new and refers, or existed and is locked.
      if (kind === 'insert' || kind === 'upsert')
        for (const parent of parents) if (!isOwn(parent)) this.steps.push({ kind: 'refer', table: parent });
      if (kind === 'insert') this.#own.set(table, (this.#own.get(table) ?? new Set()).add(values[0]));
      else if (isOwn(table)) continue;
      this.#noteTriggered(step);
      this.steps.push(step);
      if (kind === 'delete' || kind === 'skip') this.#cascade(table);
    }
  }

  #noteTriggered({ kind, table }: LockStep): void {
    const triggered = TRIGGERED[table];
    if (!triggered || (kind !== 'insert' && kind !== 'upsert')) return;
    this.#explained.add(triggered.table);
    if (!this.steps.some((step) => step.table === triggered.owner))
      this.steps.push({ kind: 'lock', table: triggered.table });
  }

  #cascade(table: string): void {
    for (const child of this.#keys.cascades.get(table) ?? []) {
      this.steps.push({ kind: 'delete', table: child });
      this.#explained.add(child);
      this.#cascade(child);
    }
  }

  /** Adds the tables that the server reports as locked and that no statement explained. */
  async check(tx: Queryable): Promise<void> {
    const rows = await tx.query<{ name: string }>(sql`
      select distinct relname::text as name from pg_locks join pg_class c on c.oid = relation
      where pid = pg_backend_pid() and mode in ('RowShareLock', 'RowExclusiveLock')
        and relkind = 'r' and relnamespace = 'public'::regnamespace`);
    for (const { name } of rows)
      if (!this.#explained.has(name)) this.steps.push({ kind: 'unread', table: name });
  }
}

/**
 * Watches a database: writes each distinct sequence of locks in a transaction to a file, one line each. Every
 * transaction is also made to fail at its end the first time, as after a deadlock, so all of its work is repeated.
 */
export class LockRecorder {
  readonly #file: string;
  readonly #repeats: boolean;
  readonly #seen = new Set<string>();
  readonly #tried = new WeakSet<object>();
  #keys: Promise<Keys> | undefined;

  /** Nothing is retried while a clock stands still: then `repeats` is false. */
  constructor(file: string, { repeats = true } = {}) {
    this.#file = file;
    this.#repeats = repeats;
  }

  watch(db: Database): Database {
    const keys = async () => {
      this.#keys ??= readKeys(db);
      return this.#keys;
    };
    return {
      ...db,
      query: async <Row extends object>(statement: Sql) => {
        if (/^\s*(insert|update|delete|with)\b/.test(statement.text)) {
          const trace = new Trace(await keys());
          trace.note(statement);
          this.#write(trace);
        }
        return db.query<Row>(statement);
      },
      transaction: async (work) => {
        const known = await keys();
        return db.transaction((tx) => this.#run(work, tx, new Trace(known)));
      },
    };
  }

  async #run<T>(work: (tx: Transaction) => Promise<T>, tx: Transaction, trace: Trace): Promise<T> {
    const result = await work({
      query: <Row extends object>(statement: Sql) => {
        trace.note(statement);
        return tx.query<Row>(statement);
      },
      send: (statement) => {
        trace.note(statement);
        return tx.send(statement);
      },
      afterCommit: (callback) => tx.afterCommit(callback),
    });
    await trace.check(tx);
    this.#write(trace);
    if (!this.#repeats || this.#tried.has(work)) return result;
    this.#tried.add(work);
    throw FIRST_TRY_FAILS;
  }

  #write({ steps }: Trace): void {
    if (steps.length === 0) return;
    const line = JSON.stringify(steps);
    if (this.#seen.has(line)) return;
    this.#seen.add(line);
    appendFileSync(this.#file, `${line}\n`);
  }
}
