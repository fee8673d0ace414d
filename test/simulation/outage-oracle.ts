import { type Database, sql } from '../../server/db/database.ts';
import { SLA } from './corrections.ts';

interface Outage {
  id: string;
  region: string | null;
  vm_id: string | null;
  from_at: Date;
  to_at: Date;
  credited_up_to: string;
  /** VMs whose credit the operator voided because it was a mistake. */
  voided_for: string[];
}

interface Vm {
  id: string;
  region: string;
  deleted_at: Date | null;
}

interface Line {
  vm_id: string;
  is_month: boolean;
  by_use: boolean;
  adjustment: string | null;
  undone: boolean;
  from_at: Date;
  to_at: Date;
  amount_minor: bigint;
}

/**
 * Credits each outstanding outage with `credit` in a world at rest. Each VM must get the amount that the catalog's rule
 * says, computed here independently, and VMs of closed accounts must get nothing. Returns the differences, one sentence
 * each.
 */
export async function outageProblems(
  db: Database,
  credit: (outageId: string) => Promise<void>,
): Promise<string[]> {
  const problems: string[] = [];
  const open = await db.query<Outage>(
    sql`select *, '{}'::text[] as voided_for from outages where status <> 'credited' order by id`,
  );
  for (const outage of open) {
    const expected = await expectedCredits(db, outage);
    await credit(outage.id);
    const made = await db.query<{ vm_id: string; amount_minor: bigint }>(sql`
      select vm_id, amount_minor from orders where outage_id = ${outage.id} and vm_id > ${outage.credited_up_to}`);
    const credited = new Map(made.map(({ vm_id, amount_minor }) => [vm_id, -amount_minor]));
    for (const vmId of new Set([...expected.keys(), ...credited.keys()])) {
      const [due, given] = [expected.get(vmId) ?? 0n, credited.get(vmId) ?? 0n];
      if (due !== given) problems.push(`${vmId} is credited ${given} for ${outage.id}, should be ${due}`);
    }
  }
  return problems;
}

/** Returns the credits due for an outage, by VM. */
async function expectedCredits(db: Database, outage: Outage): Promise<Map<string, bigint>> {
  const vms = await db.query<Vm>(sql`
    select id, region, deleted_at from vms
    where (id = ${outage.vm_id} or region = ${outage.region}) and id > ${outage.credited_up_to}
      and not exists (select from accounts where accounts.id = account_id and status = 'closed')`);
  const lines = await db.query<Line>(sql`
    select vm_id, kind in ('create', 'renew') and unit in ('month', 'deposit') and not proration as is_month, unit like 'GB%' as by_use,
      adjustment, exists (select 1 from orders undo where undo.corrects_order_id = orders.id) as undone,
      from_at, to_at, line.amount_minor
    from orders join order_lines line on order_id = orders.id
    where status = 'completed' and from_at < to_at and add_on is null and vm_id = any(${vms.map(({ id }) => id)}::text[])`);
  const outages = await db.query<Outage>(sql`
    select *, array(
      select vm_id from orders made where outage_id = outages.id
        and exists (select 1 from orders undo where undo.corrects_order_id = made.id)) as voided_for
    from outages where status <> 'open' or id = ${outage.id}`);
  const paid = Map.groupBy(lines, ({ vm_id }) => vm_id);
  const dues = vms.map((vm) => [vm.id, creditOf(vm, outage, paid.get(vm.id) ?? [], outages)] as const);
  return new Map(dues.filter(([, due]) => due > 0n));
}

function creditOf(vm: Vm, outage: Outage, lines: Line[], outages: Outage[]): bigint {
  const had = outages.filter(
    ({ region, vm_id, voided_for }) =>
      (region === vm.region || vm_id === vm.id) && !voided_for.includes(vm.id),
  );
  let due = 0n;
  for (const month of lines.filter(({ is_month }) => is_month)) {
    const end = vm.deleted_at && vm.deleted_at < month.to_at ? vm.deleted_at : month.to_at;
    const isIn = overlap(outage, month.from_at, end) > 0;
    if (isIn) due += monthCredit(month, end, lines, had);
  }
  return due;
}

/**
 * Returns the credit for a month that was served until `end`, considering all outages that its VM has `had` by then.
 */
function monthCredit(month: Line, end: Date, lines: Line[], had: Outage[]): bigint {
  const served = end.getTime() - month.from_at.getTime();
  const up = served - unionOf(had, month.from_at, end);
  // The rule's uptimes have one decimal.
  const isBelow = (percent: string) => up * 1000 < Math.round(Number(percent) * 10) * served;
  const percent = SLA.credits.findLast(({ uptime_below }) => isBelow(uptime_below))?.percent ?? 0;
  const sum = (which: (line: Line) => boolean) =>
    lines
      .filter(({ from_at, to_at }) => from_at >= month.from_at && to_at <= month.to_at)
      .filter(which)
      .reduce((total, { amount_minor }) => total + amount_minor, 0n);
  const price = sum(({ adjustment, by_use }) => adjustment === null && !by_use);
  const before = -sum(({ adjustment, undone }) => adjustment === 'sla_credit' && !undone);
  const left = sum(() => true);
  const due = (price * BigInt(percent) * 2n + 100n) / 200n - before;
  const most = due < left ? due : left;
  return most > 0n ? most : 0n;
}

const overlap = ({ from_at, to_at }: Pick<Outage, 'from_at' | 'to_at'>, from: Date, to: Date) =>
  Math.min(to_at.getTime(), to.getTime()) - Math.max(from_at.getTime(), from.getTime());

/** Milliseconds between `from` and `to` that lie in any of the outages. */
function unionOf(outages: Outage[], from: Date, to: Date): number {
  let total = 0;
  let until = from.getTime();
  for (const { from_at, to_at } of outages.toSorted((a, b) => a.from_at.getTime() - b.from_at.getTime())) {
    const begin = Math.max(from_at.getTime(), until);
    const end = Math.min(to_at.getTime(), to.getTime());
    if (end <= begin) continue;
    total += end - begin;
    until = end;
  }
  return total;
}
