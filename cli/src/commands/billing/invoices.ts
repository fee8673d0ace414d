import { command } from '../../command.ts';

export const listInvoices = command('listInvoices', {
  columns: ['id', 'type', 'number', 'status', 'period_start_at', 'total_minor'],
  wide: ['subtotal_minor', 'tax_minor', 'issued_at', 'paid_at'],
  example: 'vauban billing invoices --status open',
});
