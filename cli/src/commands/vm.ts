import type { Specs } from '../command.ts';
import { latest } from '../output/series.ts';
import { changeOfSize, lossOfVm, purchase } from '../questions.ts';

export const vm = {
  listVms: {
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
  },
  createVm: {
    positional: ['hostname'],
    question: purchase,
    example: 'vauban vm create web-1 --plan s1 --template debian-12 --wait',
  },
  getVm: {
    example: 'vauban vm get web-1',
  },
  updateVm: {
    example: 'vauban vm update web-1 --no-auto-renew',
  },
  deleteVm: {
    question: (session, { ids: [vm] }) => lossOfVm(session, vm!),
    example: 'vauban vm delete web-1',
  },
  getVmMetrics: {
    show: latest,
    example: 'vauban vm metrics web-1 --metrics cpu,network',
  },
  getVmBandwidth: {
    example: 'vauban vm bandwidth web-1 --month 2026-01',
  },
  listVolumes: {
    columns: ['id', 'name', 'size_gb', 'used_bytes', 'type', 'boot', 'device'],
    wide: ['created_at'],
    example: 'vauban vm volumes web-1',
  },
  listNics: {
    columns: [
      'id',
      'name',
      'mac',
      'type',
      { heading: 'addresses', cell: ({ ips }) => ips.map(({ address, prefix }) => `${address}/${prefix}`) },
    ],
    wide: ['bandwidth_limit_bps'],
    example: 'vauban vm network-interfaces web-1',
  },
  listEvents: {
    columns: ['created_at', 'level', 'type', 'message'],
    wide: ['id', 'job_id', { heading: 'by', cell: ({ actor }) => actor.id ?? actor.type }],
    example: 'vauban vm events web-1 --limit 20',
  },
  listJobs: {
    columns: ['id', 'kind', 'status', 'progress', 'created_at'],
    wide: ['started_at', 'finished_at', { heading: 'error', cell: ({ error }) => error?.message }],
    example: 'vauban vm jobs web-1 --status all',
  },
  getVmBilling: {
    example: 'vauban vm billing web-1',
  },
  getPlanQuote: {
    example: 'vauban vm plan-quote web-1 --plan s2',
  },
  listPlanOptions: {
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
  },
  getDeletePreview: {
    example: 'vauban vm delete-preview web-1',
  },
  startVm: {
    example: 'vauban vm start web-1 --wait',
  },
  stopVm: {
    example: 'vauban vm stop web-1 --timeout-seconds 120 --wait',
  },
  forceStopVm: {
    question: async () => ({
      lines: ['Data that the VM has not yet written to its disk will be lost.'],
      ask: 'Cut its power?',
    }),
    example: 'vauban vm force-stop web-1',
  },
  rebootVm: {
    example: 'vauban vm reboot web-1 --wait',
  },
  resetPassword: {
    positional: ['username'],
    question: async () => ({ lines: ['The current password will be replaced.'], ask: 'Reset it?' }),
    example: 'vauban vm reset-password web-1 root',
  },
  attachSshKey: {
    example: 'vauban vm attach-ssh-key web-1 --ssh-key-id laptop',
  },
  changePlan: {
    positional: ['plan'],
    question: changeOfSize,
    example: 'vauban vm change-plan web-1 s2 --allow-reboot --wait',
  },
  changeCustom: {
    question: changeOfSize,
    example: 'vauban vm change-custom web-1 --vcpu 4 --ram-mb 8192',
  },
} satisfies Specs;
