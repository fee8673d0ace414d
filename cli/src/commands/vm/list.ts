import { command } from '../../command.ts';

export const listVms = command('listVms', {
  columns: ['id', 'hostname', 'status', 'plan', 'ipv4', 'region', 'price_monthly_minor'],
  wide: [
    'ipv6',
    'template',
    'vcpu',
    'ram_mb',
    'disk_gb',
    'billing_mode',
    'billing_period_end_at',
    'created_at',
  ],
  example: 'vauban vm list --status running',
});
