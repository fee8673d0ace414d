import { type Database, raw, type Sql, sql } from '../../server/db/database.ts';
import type { Prng } from './prng.ts';

const MONEY_TABLES = [
  'invoices',
  'journal',
  'journal_heads',
  'number_series',
  'order_lines',
  'orders',
  'payments',
  'promo_credits',
  'promo_draws',
  'snapshot_usage',
  'traffic_meters',
  'usage_readings',
  'wallets',
];
/** The only amount of money in a VM's row that is stored nowhere else. */
const TOLD_PRICE = sql`(table_name = 'vms' and column_name = 'price_notice_minor')`;
/** The columns of a VM that belong to the terms of its sale. */
const TERMS = sql`(table_name = 'vms' and column_name in (
  select key from (select terms_of_vm(vms) as terms from vms limit 1) one, jsonb_each(terms)) and column_name <> 'id')`;
/** References between corrections, and an account's warnings, grace periods and limits. */
const LINKS = sql`(table_name = 'wallets' and column_name in ('debt_warned_at', 'grace_began_at') or table_name = 'orders' and column_name = 'corrects_order_id' or table_name = 'invoice_corrections'
  and column_name = 'invoice_id' or table_name = 'accounts' and column_name = 'limits')`;
/** Figures that are stored as text. */
const WRITTEN_FIGURES = ['number', 'price_hourly', 'unit_price'];
/** SQLSTATE class of the store's own refusals: a duplicate number, a negative balance. */
const CONSTRAINT_VIOLATED = '23';
const ATTEMPTS = 20;

export interface Figure {
  table: string;
  column: string;
  type: string;
}

/** One edited figure, with its undo. */
export interface Mutation {
  description: string;
  undo(): Promise<void>;
}

/** Returns every column of these tables that holds a figure and has at least one value in this database. */
export async function figuresOf(db: Database, tables = MONEY_TABLES): Promise<Figure[]> {
  const all = await db.query<Figure>(sql`
    select table_name::text as table, column_name::text as column,
      case when data_type = 'USER-DEFINED' or domain_name is not null then 'text' else data_type end as type
    from information_schema.columns where table_schema = 'public' and (${TOLD_PRICE} or ${TERMS} or ${LINKS}
      or table_name = any(${tables}::text[]) and (data_type in ('bigint', 'integer', 'numeric') and column_name <> 'id' or column_name = any(${WRITTEN_FIGURES}::text[])))
    order by 1, 2`);
  const used: Figure[] = [];
  for (const figure of all) {
    const [row] = await db.query(
      sql`select 1 from ${raw(figure.table)} where ${raw(figure.column)} is not null limit 1`,
    );
    if (row) used.push(figure);
  }
  return used;
}

/**
 * Edits one figure in some row, like a superuser who disables triggers and foreign keys. Returns undefined if the
 * table's checks refuse every attempt, as for a rate when all sales are exempt.
 */
export async function mutate(
  db: Database,
  prng: Prng,
  { table, column, type }: Figure,
): Promise<Mutation | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const name = raw(`"${column}"`);
    const [row] = await db.query<{ ctid: string; figure: string }>(sql`
      select ctid::text, ${name}::text as figure from ${raw(table)} where ${name} is not null
      order by md5(ctid::text || ${String(prng.between(0, 1_000_000))}) limit 1`);
    const edited = edit(row!.figure, type, prng);
    const write = (to: string) =>
      unguarded(
        db,
        sql`
        update ${raw(table)} set ${name} = ${to}::text::${raw(type)} where ctid = ${row!.ctid}::tid returning ctid::text as ctid`,
      );
    try {
      const ctid = await write(edited);
      return {
        description: `${table}.${column} of ${row!.ctid}: ${row!.figure} → ${edited}`,
        async undo() {
          row!.ctid = ctid;
          await write(row!.figure);
        },
      };
    } catch (error) {
      if (!String((error as { code?: string }).code).startsWith(CONSTRAINT_VIOLATED)) throw error;
    }
  }
  return undefined;
}

/** Returns another figure: slightly more or less, or another digit in a text. */
function edit(figure: string, type: string, prng: Prng): string {
  switch (type) {
    case 'boolean':
      return figure === 'true' ? 'false' : 'true';
    case 'jsonb':
      return JSON.stringify(editedJson(JSON.parse(figure), prng.between(1, 9)));
    case 'timestamp with time zone':
      return new Date(Date.parse(figure) + prng.pick([-3_600_000, -1_000, 1_000, 86_400_000])!).toISOString();
    case 'text':
      if (!/\d/.test(figure)) return `${figure}-2`;
  }
  if (type === 'numeric') return (Number(figure) + 0.01).toFixed(2);
  if (type !== 'text') return String(BigInt(figure) + BigInt(prng.pick([-100, -1, 1, 9, 100])!));
  return figure.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
}

/** Adds a field to an object, or to the first one of an array. */
function editedJson(json: object | [object, ...object[]], edited: number): object {
  if (!Array.isArray(json)) return { ...json, edited };
  const [first, ...others] = json as [object, ...object[]];
  return [{ ...first, edited }, ...others];
}

/** Runs one statement that must change one row, and returns the row's place afterwards. */
function unguarded(db: Database, statement: Sql): Promise<string> {
  return db.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    const rows = await tx.query<{ ctid: string }>(statement);
    if (rows.length !== 1) throw new Error(`${rows.length} rows were edited`);
    return rows[0]!.ctid;
  });
}
