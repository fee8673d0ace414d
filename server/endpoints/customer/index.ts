import type { CustomerEndpoint } from '../../http/endpoint.ts';
import { clearAgent } from './agent/clear-agent.ts';
import { getAgentStatus } from './agent/get-agent-status.ts';
import { runAgent } from './agent/run-agent.ts';
import { getBillingSummary } from './billing/get-billing-summary.ts';
import { getInvoice } from './billing/get-invoice.ts';
import { getUsage } from './billing/get-usage.ts';
import { getWallet } from './billing/get-wallet.ts';
import { listInvoices } from './billing/list-invoices.ts';
import { listOrders } from './billing/list-orders.ts';
import { listPayments } from './billing/list-payments.ts';
import { getCatalog } from './catalog/get-catalog.ts';
import { getCustomQuote } from './catalog/get-custom-quote.ts';
import { getPrices } from './catalog/get-prices.ts';
import { listPublicPlans } from './catalog/list-public-plans.ts';
import { createConsoleShare } from './consoles/create-console-share.ts';
import { createSshToken } from './consoles/create-ssh-token.ts';
import { deleteConsoleShare } from './consoles/delete-console-share.ts';
import { getConsole } from './consoles/get-console.ts';
import { listConsoleShares } from './consoles/list-console-shares.ts';
import { addFirewallRule } from './network/add-firewall-rule.ts';
import { addPortForward } from './network/add-port-forward.ts';
import { deleteFirewallRule } from './network/delete-firewall-rule.ts';
import { deletePortForward } from './network/delete-port-forward.ts';
import { listFirewallRules } from './network/list-firewall-rules.ts';
import { listNics } from './network/list-nics.ts';
import { listPortForwards } from './network/list-port-forwards.ts';
import { addShieldRule } from './shield/add-rule.ts';
import { deleteShieldRule } from './shield/delete-rule.ts';
import { getShieldSummary } from './shield/get-summary.ts';
import { getEdgeTraffic } from './shield/get-traffic.ts';
import { listAttackEvents } from './shield/list-attacks.ts';
import { listShieldRules } from './shield/list-rules.ts';
import { listShieldTargets } from './shield/list-targets.ts';
import { createSnapshot } from './snapshots/create-snapshot.ts';
import { deleteSnapshot } from './snapshots/delete-snapshot.ts';
import { listSnapshots } from './snapshots/list-snapshots.ts';
import { addSshKey } from './sshkeys/add-ssh-key.ts';
import { deleteSshKey } from './sshkeys/delete-ssh-key.ts';
import { listSshKeys } from './sshkeys/list-ssh-keys.ts';
import { attachSshKey } from './vms/attach-ssh-key.ts';
import { changeCustom } from './vms/change-custom.ts';
import { changePlan } from './vms/change-plan.ts';
import { createVm } from './vms/create-vm.ts';
import { deleteVm } from './vms/delete-vm.ts';
import { forceStopVm } from './vms/force-stop-vm.ts';
import { getVmBandwidth } from './vms/get-bandwidth.ts';
import { getDeletePreview } from './vms/get-delete-preview.ts';
import { getVmMetrics } from './vms/get-metrics.ts';
import { getOpsKey } from './vms/get-ops-key.ts';
import { getPlanQuote } from './vms/get-plan-quote.ts';
import { getVm } from './vms/get-vm.ts';
import { getVmBilling } from './vms/get-vm-billing.ts';
import { listEvents } from './vms/list-events.ts';
import { listJobs } from './vms/list-jobs.ts';
import { listPlanOptions } from './vms/list-plan-options.ts';
import { listVms } from './vms/list-vms.ts';
import { listVolumes } from './vms/list-volumes.ts';
import { rebootVm } from './vms/reboot-vm.ts';
import { resetPassword } from './vms/reset-password.ts';
import { startVm } from './vms/start-vm.ts';
import { stopVm } from './vms/stop-vm.ts';
import { updateVm } from './vms/update-vm.ts';

/** Every operation of the API that exists, in the specification's order. */
export const ENDPOINTS: readonly CustomerEndpoint[] = [
  getCatalog,
  listPublicPlans,
  getPrices,
  getCustomQuote,
  listVms,
  getVm,
  getVmMetrics,
  getVmBandwidth,
  listVolumes,
  listNics,
  listEvents,
  listJobs,
  getVmBilling,
  getPlanQuote,
  listPlanOptions,
  getDeletePreview,
  listFirewallRules,
  listPortForwards,
  listSnapshots,
  getOpsKey,
  startVm,
  stopVm,
  forceStopVm,
  rebootVm,
  resetPassword,
  attachSshKey,
  updateVm,
  addFirewallRule,
  deleteFirewallRule,
  addPortForward,
  deletePortForward,
  createSnapshot,
  deleteSnapshot,
  createVm,
  changePlan,
  changeCustom,
  deleteVm,
  getConsole,
  createSshToken,
  listConsoleShares,
  createConsoleShare,
  deleteConsoleShare,
  getAgentStatus,
  clearAgent,
  runAgent,
  listSshKeys,
  addSshKey,
  deleteSshKey,
  getWallet,
  getBillingSummary,
  listInvoices,
  getInvoice,
  listPayments,
  listOrders,
  getUsage,
  getShieldSummary,
  listShieldTargets,
  listShieldRules,
  listAttackEvents,
  getEdgeTraffic,
  addShieldRule,
  deleteShieldRule,
];

/** Operations of the specification that are not implemented yet. This list may only shrink. */
export const TO_COME: readonly string[] = [];
