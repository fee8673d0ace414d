import type { Command } from 'commander';
import { contextOf } from './context.ts';
import type { Adjustment, MadeAdjustment } from './operator-api.ts';
import type { OperatorClient } from './operator-client.ts';
import { instant, money, printFields, printJson, printTable } from './output.ts';

/** Makes a correction and prints it with the resulting balance. */
export async function makeAdjustment(
  command: Command,
  make: (client: OperatorClient) => Promise<MadeAdjustment>,
): Promise<void> {
  const { client, json } = contextOf(command);
  const made = await make(client);
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
