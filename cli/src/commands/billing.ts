import type { Specs } from '../command.ts';

export const billing = {
  getWallet: {
    example: 'vauban billing wallet',
  },
  getBillingSummary: {
    example: 'vauban billing summary',
  },
  listInvoices: {
    columns: ['id', 'type', 'number', 'status', 'period_start_at', 'total_minor'],
    wide: ['subtotal_minor', 'tax_minor', 'issued_at', 'paid_at'],
    example: 'vauban billing invoices --status open',
  },
  getInvoice: {
    example: 'vauban billing invoice inv_01ke1y0a2b4c6d8e0f2g4h6j8k',
  },
  listPayments: {
    columns: ['id', 'method', 'status', 'amount_minor', 'reference', 'created_at'],
    wide: ['settled_at'],
    example: 'vauban billing payments',
  },
  listOrders: {
    columns: ['id', 'kind', 'status', 'vm_id', 'amount_minor', 'created_at'],
    wide: ['balance_after_minor', 'invoice_id'],
    example: 'vauban billing orders --vm-id web-1',
  },
  getUsage: {
    example: 'vauban billing usage',
  },
} satisfies Specs;
