import type { OperatorEndpoint } from '../../http/endpoint.ts';
import { closeAccount } from './accounts/close-account.ts';
import { createAccount } from './accounts/create-account.ts';
import { getAccount } from './accounts/get-account.ts';
import { listAccounts } from './accounts/list-accounts.ts';
import { listMembers } from './accounts/list-members.ts';
import { resumeAccount } from './accounts/resume-account.ts';
import { setAccountLimits } from './accounts/set-account-limits.ts';
import { setAccountSmtp } from './accounts/set-account-smtp.ts';
import { suspendAccount } from './accounts/suspend-account.ts';
import { listAdjustments } from './adjustments/list-adjustments.ts';
import { makeAdjustment } from './adjustments/make-adjustment.ts';
import { refundOrder } from './adjustments/refund-order.ts';
import { voidOrder } from './adjustments/void-order.ts';
import { getBillingProfile } from './billing-profiles/get-billing-profile.ts';
import { setBillingProfile } from './billing-profiles/set-billing-profile.ts';
import { auditBooks } from './books/audit-books.ts';
import { exportBookings } from './books/export-bookings.ts';
import { exportSales } from './books/export-sales.ts';
import { getBooks } from './books/get-books.ts';
import { getSeries } from './books/get-series.ts';
import { getStatement } from './books/get-statement.ts';
import { setBooksExponent } from './books/set-books-exponent.ts';
import { setSeries } from './books/set-series.ts';
import { addCluster } from './clusters/add-cluster.ts';
import { changeCluster } from './clusters/change-cluster.ts';
import { checkCluster } from './clusters/check-cluster.ts';
import { listClusters } from './clusters/list-clusters.ts';
import { removeCluster } from './clusters/remove-cluster.ts';
import { drainHost } from './host/drain-host.ts';
import { getCapacity } from './host/get-capacity.ts';
import { getHost } from './host/get-host.ts';
import { resumeHost } from './host/resume-host.ts';
import { emptyHost } from './hosts/empty-host.ts';
import { findHost } from './hosts/find-host.ts';
import { listHosts } from './hosts/list-hosts.ts';
import { loseHost } from './hosts/lose-host.ts';
import { undrainHost } from './hosts/undrain-host.ts';
import { collectImages } from './images/collect-images.ts';
import { importImage } from './images/import-image.ts';
import { listImages } from './images/list-images.ts';
import { removeImage } from './images/remove-image.ts';
import { downloadDocuments } from './invoices/download-documents.ts';
import { getInvoice } from './invoices/get-invoice.ts';
import { getInvoiceDocument } from './invoices/get-invoice-document.ts';
import { listDocuments } from './invoices/list-documents.ts';
import { listHeldDocuments } from './invoices/list-held-documents.ts';
import { listInvoices } from './invoices/list-invoices.ts';
import { abandonJob } from './jobs/abandon-job.ts';
import { getJob } from './jobs/get-job.ts';
import { listJobs } from './jobs/list-jobs.ts';
import { retryJob } from './jobs/retry-job.ts';
import { createKey } from './keys/create-key.ts';
import { listKeys } from './keys/list-keys.ts';
import { listScopes } from './keys/list-scopes.ts';
import { revokeKey } from './keys/revoke-key.ts';
import { listLog } from './log/list-log.ts';
import { listMails } from './mails/list-mails.ts';
import { retryMail } from './mails/retry-mail.ts';
import { addOperator } from './operators/add-operator.ts';
import { createOperatorLink } from './operators/create-operator-link.ts';
import { listOperators } from './operators/list-operators.ts';
import { removeOperator } from './operators/remove-operator.ts';
import { getOpsKey } from './ops-key/get-ops-key.ts';
import { rotateOpsKey } from './ops-key/rotate-ops-key.ts';
import { listOrders } from './orders/list-orders.ts';
import { listOrphans } from './orphans/list-orphans.ts';
import { removeOrphan } from './orphans/remove-orphan.ts';
import { creditOutage } from './outages/credit-outage.ts';
import { listOutages } from './outages/list-outages.ts';
import { reportOutage } from './outages/report-outage.ts';
import { getOverview } from './overview/get-overview.ts';
import { creditAccount } from './payments/credit-account.ts';
import { debitAccount } from './payments/debit-account.ts';
import { createSignInLink } from './people/create-sign-in-link.ts';
import { grantPromoCredit } from './promo-credits/grant-promo-credit.ts';
import { listPromoCredits } from './promo-credits/list-promo-credits.ts';
import { revokePromoCredit } from './promo-credits/revoke-promo-credit.ts';
import { rotateSecrets } from './secrets/rotate-secrets.ts';
import { addTarget } from './shield/add-target.ts';
import { createTenant } from './shield/create-tenant.ts';
import { endReportedAttack } from './shield/end-reported-attack.ts';
import { getTarget } from './shield/get-target.ts';
import { getTenant } from './shield/get-tenant.ts';
import { listAllTargets } from './shield/list-all-targets.ts';
import { listAttacks } from './shield/list-attacks.ts';
import { listTargets } from './shield/list-targets.ts';
import { listTenants } from './shield/list-tenants.ts';
import { removeTarget } from './shield/remove-target.ts';
import { reportAttack } from './shield/report-attack.ts';
import { setTargetBlackhole } from './shield/set-target-blackhole.ts';
import { setTargetMode } from './shield/set-target-mode.ts';
import { setTargetThreshold } from './shield/set-target-threshold.ts';
import { startAttack } from './shield/start-attack.ts';
import { stopAttack } from './shield/stop-attack.ts';
import { confirmTopUp } from './top-ups/confirm-top-up.ts';
import { listTopUps } from './top-ups/list-top-ups.ts';
import { refundTopUp } from './top-ups/refund-top-up.ts';
import { bookUnbookedPayment } from './unbooked-payments/book-unbooked-payment.ts';
import { dismissUnbookedPayment } from './unbooked-payments/dismiss-unbooked-payment.ts';
import { listUnbookedPayments } from './unbooked-payments/list-unbooked-payments.ts';
import { getVm } from './vms/get-vm.ts';
import { listVms } from './vms/list-vms.ts';
import { rebuildVm } from './vms/rebuild-vm.ts';
import { restoreVm } from './vms/restore-vm.ts';
import { stopVm } from './vms/stop-vm.ts';

/** Every operation of the operator's API, in the order of its description. */
export const OPERATOR_ENDPOINTS: readonly OperatorEndpoint[] = [
  getOverview,
  createAccount,
  listAccounts,
  getAccount,
  listMembers,
  suspendAccount,
  resumeAccount,
  closeAccount,
  setAccountLimits,
  setAccountSmtp,
  listScopes,
  createKey,
  listKeys,
  revokeKey,
  creditAccount,
  debitAccount,
  listTopUps,
  confirmTopUp,
  refundTopUp,
  listUnbookedPayments,
  bookUnbookedPayment,
  dismissUnbookedPayment,
  makeAdjustment,
  listAdjustments,
  refundOrder,
  voidOrder,
  createSignInLink,
  grantPromoCredit,
  listPromoCredits,
  revokePromoCredit,
  reportOutage,
  listOutages,
  creditOutage,
  getBillingProfile,
  setBillingProfile,
  listOrders,
  listInvoices,
  getInvoice,
  getInvoiceDocument,
  listDocuments,
  downloadDocuments,
  listHeldDocuments,
  getStatement,
  exportBookings,
  exportSales,
  auditBooks,
  getBooks,
  setBooksExponent,
  getSeries,
  setSeries,
  listVms,
  getVm,
  stopVm,
  restoreVm,
  rebuildVm,
  listJobs,
  getJob,
  retryJob,
  abandonJob,
  createTenant,
  listTenants,
  getTenant,
  listAllTargets,
  listTargets,
  addTarget,
  getTarget,
  setTargetMode,
  setTargetThreshold,
  setTargetBlackhole,
  removeTarget,
  listAttacks,
  startAttack,
  stopAttack,
  reportAttack,
  endReportedAttack,
  listOrphans,
  removeOrphan,
  importImage,
  listImages,
  removeImage,
  collectImages,
  getHost,
  checkCluster,
  addCluster,
  listClusters,
  changeCluster,
  removeCluster,
  getCapacity,
  drainHost,
  resumeHost,
  listHosts,
  emptyHost,
  undrainHost,
  loseHost,
  findHost,
  addOperator,
  createOperatorLink,
  listOperators,
  removeOperator,
  listMails,
  retryMail,
  rotateSecrets,
  getOpsKey,
  rotateOpsKey,
  listLog,
];
