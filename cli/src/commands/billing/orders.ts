import { command } from '../../command.ts';

export const listOrders = command('listOrders', {
  columns: ['id', 'kind', 'status', 'vm_id', 'amount_minor', 'created_at'],
  wide: ['balance_after_minor', 'invoice_id'],
  example: 'vauban billing orders --vm-id web-1',
});
