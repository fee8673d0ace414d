import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { instant, money, printJson, printTable } from '../output.ts';

export function addOrderList(parent: Command): void {
  parent
    .command('list')
    .description('orders of an account (charges and refunds), newest first')
    .argument('<account>', 'id of the account, acc_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const orders = await client.list('/accounts/{id}/orders', { params: { id } });
      if (json) return printJson(orders);
      printTable(
        ['AT', 'ORDER', 'KIND', 'STATUS', 'AMOUNT>', 'VM'],
        orders.map(({ created_at, id, kind, status, amount_minor, currency, vm_id }) => [
          instant(created_at),
          id,
          kind,
          status,
          money(amount_minor, currency),
          vm_id ?? '-',
        ]),
      );
    });
}
