import type { Tool } from '../tool.ts';
import { addFirewallRule, openFirewall } from './add-firewall-rule.ts';
import { addPortForward } from './add-port-forward.ts';
import { addShieldRule } from './add-shield-rule.ts';
import { askAgent } from './ask-agent.ts';
import { billingSummary } from './billing-summary.ts';
import { createSnapshot } from './create-snapshot.ts';
import { createVm } from './create-vm.ts';
import { deletePart } from './delete-part.ts';
import { deleteShieldRule } from './delete-shield-rule.ts';
import { deleteVm } from './delete-vm.ts';
import { describeVm } from './describe-vm.ts';
import { forceStopVm } from './force-stop-vm.ts';
import { listPlans } from './list-plans.ts';
import { listSshKeys } from './list-ssh-keys.ts';
import { listVms } from './list-vms.ts';
import { powerVm, startVm } from './power-vm.ts';
import { resizeVm } from './resize-vm.ts';
import { runCommand } from './run-command.ts';
import { shieldStatus } from './shield-status.ts';
import { updateVm } from './update-vm.ts';
import { vmEvents } from './vm-events.ts';
import { vmMetrics } from './vm-metrics.ts';
import { waitForVm } from './wait-for-vm.ts';

/** The tasks for an assistant: the things people ask for, rather than every API operation. */
export const TOOLS: Tool[] = [
  listVms,
  describeVm,
  vmEvents,
  vmMetrics,
  waitForVm,
  listPlans,
  listSshKeys,
  billingSummary,
  shieldStatus,
  ...createVm,
  ...resizeVm,
  ...deleteVm,
  ...deletePart,
  ...forceStopVm,
  startVm,
  ...powerVm,
  updateVm,
  createSnapshot,
  addFirewallRule,
  ...openFirewall,
  ...addPortForward,
  addShieldRule,
  ...deleteShieldRule,
  runCommand,
  askAgent,
];
