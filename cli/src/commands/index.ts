import type { AnySpec, OperationId } from '../command.ts';
import { clearAgent } from './agent/clear.ts';
import { runAgent } from './agent/run.ts';
import { getAgentStatus } from './agent/status.ts';
import { getInvoice } from './billing/invoice.ts';
import { listInvoices } from './billing/invoices.ts';
import { listOrders } from './billing/orders.ts';
import { listPayments } from './billing/payments.ts';
import { getBillingSummary } from './billing/summary.ts';
import { getUsage } from './billing/usage.ts';
import { getWallet } from './billing/wallet.ts';
import { getCustomQuote } from './catalog/custom-quote.ts';
import { getCatalog } from './catalog/get.ts';
import { getPrices } from './catalog/prices.ts';
import { listPublicPlans } from './catalog/public-plans.ts';
import { getConsole } from './console/screen-ticket.ts';
import { createSshToken } from './console/terminal-token.ts';
import { createConsoleShare } from './console-share/create.ts';
import { deleteConsoleShare } from './console-share/delete.ts';
import { listConsoleShares } from './console-share/list.ts';
import { addFirewallRule } from './firewall/add.ts';
import { deleteFirewallRule } from './firewall/delete.ts';
import { listFirewallRules } from './firewall/list.ts';
import { addPortForward } from './port-forward/add.ts';
import { deletePortForward } from './port-forward/delete.ts';
import { listPortForwards } from './port-forward/list.ts';
import { addShieldRule } from './shield/add-rule.ts';
import { listAttackEvents } from './shield/attacks.ts';
import { deleteShieldRule } from './shield/delete-rule.ts';
import { listShieldRules } from './shield/rules.ts';
import { getShieldSummary } from './shield/summary.ts';
import { listShieldTargets } from './shield/targets.ts';
import { getEdgeTraffic } from './shield/traffic.ts';
import { createSnapshot } from './snapshot/create.ts';
import { deleteSnapshot } from './snapshot/delete.ts';
import { listSnapshots } from './snapshot/list.ts';
import { addSshKey } from './ssh-key/add.ts';
import { deleteSshKey } from './ssh-key/delete.ts';
import { listSshKeys } from './ssh-key/list.ts';
import { getOpsKey } from './ssh-key/ops.ts';
import { attachSshKey } from './vm/attach-ssh-key.ts';
import { getVmBandwidth } from './vm/bandwidth.ts';
import { getVmBilling } from './vm/billing.ts';
import { changeCustom } from './vm/change-custom.ts';
import { changePlan } from './vm/change-plan.ts';
import { createVm } from './vm/create.ts';
import { deleteVm } from './vm/delete.ts';
import { getDeletePreview } from './vm/delete-preview.ts';
import { listEvents } from './vm/events.ts';
import { forceStopVm } from './vm/force-stop.ts';
import { getVm } from './vm/get.ts';
import { listJobs } from './vm/jobs.ts';
import { listVms } from './vm/list.ts';
import { getVmMetrics } from './vm/metrics.ts';
import { listNics } from './vm/network-interfaces.ts';
import { listPlanOptions } from './vm/plan-options.ts';
import { getPlanQuote } from './vm/plan-quote.ts';
import { rebootVm } from './vm/reboot.ts';
import { resetPassword } from './vm/reset-password.ts';
import { startVm } from './vm/start.ts';
import { stopVm } from './vm/stop.ts';
import { updateVm } from './vm/update.ts';
import { listVolumes } from './vm/volumes.ts';

/** The command of each operation. A missing one is a compile error. */
export const COMMANDS: Record<OperationId, AnySpec> = {
  getCatalog,
  listPublicPlans,
  getPrices,
  getCustomQuote,
  listVms,
  createVm,
  getVm,
  updateVm,
  deleteVm,
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
  addFirewallRule,
  listPortForwards,
  addPortForward,
  listSnapshots,
  createSnapshot,
  getOpsKey,
  startVm,
  stopVm,
  forceStopVm,
  rebootVm,
  resetPassword,
  attachSshKey,
  deleteFirewallRule,
  deletePortForward,
  deleteSnapshot,
  changePlan,
  changeCustom,
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
  addShieldRule,
  listAttackEvents,
  getEdgeTraffic,
  deleteShieldRule,
};
