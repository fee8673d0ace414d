import { command } from '../../command.ts';

export const listPayments = command('listPayments', {
  columns: ['id', 'method', 'status', 'amount_minor', 'reference', 'created_at'],
  wide: ['settled_at'],
  example: 'vauban billing payments',
});
