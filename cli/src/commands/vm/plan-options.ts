import { command } from '../../command.ts';

export const listPlanOptions = command('listPlanOptions', {
  columns: [
    { heading: 'plan', cell: ({ plan }) => plan.code },
    { heading: 'vcpu', cell: ({ plan }) => plan.vcpu },
    { heading: 'ram_mb', cell: ({ plan }) => plan.ram_mb },
    { heading: 'disk_gb', cell: ({ plan }) => plan.disk_gb },
    'current',
    'allowed',
    { heading: 'blocker', cell: ({ blocker }) => blocker?.message },
  ],
  example: 'vauban vm plan-options web-1',
});
