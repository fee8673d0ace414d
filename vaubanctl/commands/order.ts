import { group, plain } from '../command.ts';
import { ACCOUNT } from '../option-values.ts';
import { instant, money, printTable } from '../output.ts';

const list = plain('list', 'listOrders', {
  about: 'orders of an account (charges and refunds), newest first',
  args: { id: ACCOUNT },
  print: (orders) =>
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
    ),
});

export const order = group('order', 'charges and refunds', list);
