import type { Command } from 'commander';
import type { Wallet } from './api.ts';
import { contextOf } from './context.ts';
import { instant, money, printFields, printJson, printTable } from './output.ts';

/** A correction of the books; `amount_minor` is negative where it gave money. */
export interface Adjustment {
  id: string;
  account_id: string;
  vm_id: string | null;
  type: string;
  amount_minor: number;
  currency: string;
  reason: string;
  actor: string;
  corrects_order_id: string | null;
  outage_id: string | null;
  created_at: string;
}

/** Makes a correction and prints it, with what the wallet then has. */
export async function makeAdjustment(command: Command, path: string, body: object): Promise<void> {
  const { client, json } = contextOf(command);
  const made = await client.post<Adjustment & { wallet: Wallet }>(path, body);
  if (json) return printJson(made);
  printFields({
    order: made.id,
    type: made.type,
    account: made.account_id,
    vm: made.vm_id ?? 'none',
    amount: money(made.amount_minor, made.currency),
    corrects: made.corrects_order_id ?? 'no order',
    available: money(made.wallet.available_minor, made.currency),
  });
}

/** Corrections for people, a line each. */
export function printAdjustments(adjustments: Adjustment[]): void {
  printTable(
    ['AT', 'ORDER', 'TYPE', 'AMOUNT>', 'VM', 'CORRECTS', 'WHO', 'REASON'],
    adjustments.map((made) => [
      instant(made.created_at),
      made.id,
      made.type,
      money(made.amount_minor, made.currency),
      made.vm_id ?? '-',
      made.corrects_order_id ?? made.outage_id ?? '-',
      made.actor,
      made.reason,
    ]),
  );
}
