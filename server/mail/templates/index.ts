import type { Template } from '../content.ts';
import * as attacks from './attacks.ts';
import * as debts from './debts.ts';
import * as documents from './documents.ts';
import * as money from './money.ts';
import * as moves from './moves.ts';
import * as payments from './payments.ts';
import * as people from './people.ts';
import * as traffic from './traffic.ts';
import * as vms from './vms.ts';

/** Every mail that the service writes, by its name in the outbox. A name that has been used must keep its meaning. */
export const TEMPLATES = {
  verify_email: people.verifyEmail,
  already_signed_up: people.alreadySignedUp,
  reset_password: people.resetPassword,
  invitation: people.invitation,
  sign_in_link: people.signInLink,
  change_email: people.changeEmail,
  new_device: people.newDevice,
  security_change: people.securityChange,
  key_expiry: people.keyExpiry,
  top_up_succeeded: money.topUpSucceeded,
  auto_top_up_failed: money.autoTopUpFailed,
  payment_taken_back: money.paymentTakenBack,
  vm_debt_due: debts.debtDue,
  vm_debt_suspended: debts.debtSuspended,
  top_up_ended: payments.topUpEnded,
  top_up_refunded: payments.topUpRefunded,
  payment_returned: payments.paymentReturned,
  credit_given: payments.creditGiven,
  credit_expiring: payments.creditExpiring,
  document_issued: documents.documentIssued,
  vm_renewal_due: vms.renewalDue,
  vm_unpaid: vms.unpaid,
  vm_ended: vms.ended,
  vm_suspended: vms.suspended,
  vm_deletion_due: vms.deletionDue,
  vm_plan_retires: vms.planRetires,
  vm_price_change: vms.priceChange,
  vm_traffic_limited: traffic.trafficLimited,
  vm_usage_unpaid: traffic.usageUnpaid,
  vm_move_scheduled: moves.moveScheduled,
  vm_move_canceled: moves.moveCanceled,
  attack_started: attacks.attackStarted,
  attack_mitigated: attacks.attackMitigated,
  attack_ended: attacks.attackEnded,
} as const;

export type TemplateName = keyof typeof TEMPLATES;
export type TemplateValues = {
  [N in TemplateName]: (typeof TEMPLATES)[N] extends Template<infer Values> ? Values : never;
};
