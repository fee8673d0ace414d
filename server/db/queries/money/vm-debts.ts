import { execute, type Queryable, sql } from '../../database.ts';

/** A debt for the usage of a VM that was deleted. */
export interface VmDebtRow {
  /** The order that settled the deletion. */
  order_id: string;
  account_id: string;
  owed_minor: bigint;
}

/** A debt with the VM that it is for. */
export interface VmDebtView {
  order_id: string;
  vm_id: string;
  hostname: string;
  amount_minor: bigint;
  created_at: Date;
}

/** Records a debt and adds it to the wallet's claims. The caller must hold the lock on the wallet. */
export async function insertVmDebt(
  db: Queryable,
  { order_id, account_id, owed_minor }: VmDebtRow,
): Promise<void> {
  await execute(
    db,
    sql`insert into vm_debts (order_id, account_id, owed_minor) values (${order_id}, ${account_id}, ${owed_minor}::bigint)`,
  );
  await claim(db, account_id, owed_minor);
}

/** Returns an account's debts, oldest first. The caller must hold the lock on the wallet. */
export function owedVmDebts(db: Queryable, accountId: string): Promise<VmDebtRow[]> {
  return db.query<VmDebtRow>(sql`
    select order_id, account_id, owed_minor from vm_debts where account_id = ${accountId} and owed_minor > 0 order by order_id`);
}

/** Records a payment towards a debt. The caller must hold the lock on the wallet. */
export async function reduceVmDebt(
  db: Queryable,
  { order_id, account_id }: VmDebtRow,
  paidMinor: bigint,
): Promise<void> {
  await execute(
    db,
    sql`update vm_debts set owed_minor = owed_minor - ${paidMinor}::bigint where order_id = ${order_id}`,
  );
  await claim(db, account_id, -paidMinor);
}

/** Returns up to `limit` of an account's debts, oldest first, as they are collected. */
export function vmDebtsOf(db: Queryable, accountId: string, limit: number): Promise<VmDebtView[]> {
  return db.query<VmDebtView>(sql`
    select order_id, vm_id, vms.hostname, owed_minor as amount_minor, orders.created_at
    from vm_debts join orders on orders.id = order_id join vms on vms.id = vm_id
    where vm_debts.account_id = ${accountId} and owed_minor > 0 order by order_id limit ${limit}`);
}

function claim(db: Queryable, accountId: string, amount: bigint): Promise<void> {
  return execute(
    db,
    sql`update wallets set claimed_minor = claimed_minor + ${amount}::bigint where account_id = ${accountId}`,
  );
}
