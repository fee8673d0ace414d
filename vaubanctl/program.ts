import { Command } from 'commander';
import { addAccountBillingProfile } from './commands/account-billing-profile.ts';
import { addAccountClose } from './commands/account-close.ts';
import { addAccountCreate } from './commands/account-create.ts';
import { addAccountCredit } from './commands/account-credit.ts';
import { addAccountDebit } from './commands/account-debit.ts';
import { addAccountLimits } from './commands/account-limits.ts';
import { addAccountList } from './commands/account-list.ts';
import { addAccountMembers } from './commands/account-members.ts';
import { addAccountResume } from './commands/account-resume.ts';
import { addAccountShow } from './commands/account-show.ts';
import { addAccountSmtp } from './commands/account-smtp.ts';
import { addAccountStatement } from './commands/account-statement.ts';
import { addAccountSuspend } from './commands/account-suspend.ts';
import { addAdjustmentCreditAndDebit } from './commands/adjustment-credit-debit.ts';
import { addAdjustmentList } from './commands/adjustment-list.ts';
import { addAdjustmentRefund, addAdjustmentVoid } from './commands/adjustment-order.ts';
import { addAudit } from './commands/audit.ts';
import { addBooksExponent } from './commands/books.ts';
import { addBooksSeries } from './commands/books-series.ts';
import { addClusterAdd } from './commands/cluster-add.ts';
import { addClusterChange } from './commands/cluster-change.ts';
import { addClusterCheck } from './commands/cluster-check.ts';
import { addClusterList } from './commands/cluster-list.ts';
import { addClusterRemove } from './commands/cluster-remove.ts';
import { addCompletion } from './commands/completion.ts';
import { addDoctor } from './commands/doctor.ts';
import { addDocumentDownload, addDocumentList } from './commands/document.ts';
import { addExportBookings } from './commands/export-bookings.ts';
import { addExportSales } from './commands/export-sales.ts';
import { addHostActions } from './commands/host-actions.ts';
import { addHostDrain } from './commands/host-drain.ts';
import { addHostList } from './commands/host-list.ts';
import { addHostResume } from './commands/host-resume.ts';
import { addHostShow } from './commands/host-show.ts';
import { addImageCollect } from './commands/image-collect.ts';
import { addImageImport } from './commands/image-import.ts';
import { addImageList } from './commands/image-list.ts';
import { addImageRemove } from './commands/image-remove.ts';
import { addInvoiceFile, addInvoiceHeld, addInvoiceList, addInvoiceShow } from './commands/invoice.ts';
import { addJobAbandon } from './commands/job-abandon.ts';
import { addJobList } from './commands/job-list.ts';
import { addJobRetry } from './commands/job-retry.ts';
import { addJobShow } from './commands/job-show.ts';
import { addKeyCreate } from './commands/key-create.ts';
import { addKeyList } from './commands/key-list.ts';
import { addKeyRevoke } from './commands/key-revoke.ts';
import { addLog } from './commands/log.ts';
import { addMailList, addMailRetry } from './commands/mail.ts';
import { addOperatorAdd, addOperatorLink, addOperatorList, addOperatorRemove } from './commands/operator.ts';
import { addOpsKeyRotate } from './commands/ops-key-rotate.ts';
import { addOpsKeyShow } from './commands/ops-key-show.ts';
import { addOrderList } from './commands/order-list.ts';
import { addOrphanList } from './commands/orphan-list.ts';
import { addOrphanRemove } from './commands/orphan-remove.ts';
import { addAdjustmentSla, addOutageAdd, addOutageList } from './commands/outage.ts';
import { addOverview } from './commands/overview.ts';
import { addPaymentConfirm, addPaymentList, addPaymentRefund } from './commands/payment.ts';
import { addPersonLink } from './commands/person-link.ts';
import { addPromoGrant, addPromoList, addPromoRevoke } from './commands/promo.ts';
import { addSecretRotate } from './commands/secret-rotate.ts';
import { addShieldAttack } from './commands/shield-attack.ts';
import { addShieldAttacks } from './commands/shield-attacks.ts';
import { addShieldFastnetmon } from './commands/shield-fastnetmon.ts';
import { addShieldStop } from './commands/shield-stop.ts';
import { addTargetAdd } from './commands/target-add.ts';
import { addTargetBlackhole } from './commands/target-blackhole.ts';
import { addTargetList } from './commands/target-list.ts';
import { addTargetMode } from './commands/target-mode.ts';
import { addTargetRemove } from './commands/target-remove.ts';
import { addTargetThreshold } from './commands/target-threshold.ts';
import { addTenantCreate } from './commands/tenant-create.ts';
import { addTenantList } from './commands/tenant-list.ts';
import { addTenantShow } from './commands/tenant-show.ts';
import { addPaymentBook, addPaymentDismiss, addPaymentUnbooked } from './commands/unbooked-payment.ts';
import { addVmList } from './commands/vm-list.ts';
import { addVmRebuild } from './commands/vm-rebuild.ts';
import { addVmRestore } from './commands/vm-restore.ts';
import { addVmShow } from './commands/vm-show.ts';
import { addVmStop } from './commands/vm-stop.ts';
import manifest from './package.json' with { type: 'json' };

export const program = new Command('vaubanctl')
  .description(
    'Manages the accounts, the money, the API keys, the VMs, the DDoS Shield and the images of the Vauban service on this machine.',
  )
  .version(manifest.version)
  .option('--data-dir <dir>', "the service's data directory (default: $VAUBAN_DATA_DIR, else ./data)")
  .option('--socket <path>', "the service's operator socket (default: vauban.sock in the data directory)")
  .option('--json', 'print JSON, for scripts')
  .configureHelp({ showGlobalOptions: true })
  .addHelpText(
    'after',
    `
Exit status: 0 done, 1 refused or wrong usage, 2 the service cannot be reached.

Examples:
  $ vaubanctl account create --name "Example Ltd"
  $ vaubanctl account credit acc_… 50.00 --reference "transfer 4711"
  $ vaubanctl key create acc_… --name deploy --scopes vm:read,vm:write --expires 90d`,
  );

const account = program.command('account').description('accounts and their wallets');
addAccountCreate(account);
addAccountList(account);
addAccountShow(account);
addAccountMembers(account);
addAccountStatement(account);
addAccountCredit(account);
addAccountDebit(account);
addAccountLimits(account);
addAccountBillingProfile(account);
addAccountSmtp(account);
addAccountSuspend(account);
addAccountResume(account);
addAccountClose(account);

const payment = program.command('payment').description('top-ups by customers');
addPaymentList(payment);
addPaymentConfirm(payment);
addPaymentRefund(payment);
addPaymentUnbooked(payment);
addPaymentBook(payment);
addPaymentDismiss(payment);

const promo = program
  .command('promo')
  .description('promotional credit, which is spent first and never paid out');
addPromoGrant(promo);
addPromoList(promo);
addPromoRevoke(promo);
const adjustment = program.command('adjustment').description('corrections of charges and refunds');
addAdjustmentCreditAndDebit(adjustment);
addAdjustmentRefund(adjustment);
addAdjustmentVoid(adjustment);
addAdjustmentSla(adjustment);
addAdjustmentList(adjustment);

const outage = program.command('outage').description('periods in which a region or a VM was unavailable');
addOutageAdd(outage);
addOutageList(outage);

const order = program.command('order').description('charges and refunds');
addOrderList(order);

const invoice = program.command('invoice').description('invoices and credit notes of all accounts');
addInvoiceList(invoice);
addInvoiceHeld(invoice);
addInvoiceShow(invoice);
addInvoiceFile(invoice, 'pdf');
addInvoiceFile(invoice, 'xml');

const document = program.command('document').description('documents of a month, of all accounts');
addDocumentList(document);
addDocumentDownload(document);

const key = program.command('key').description('API keys of an account');
addKeyCreate(key);
addKeyList(key);
addKeyRevoke(key);

const operator = program.command('operator').description("the people who sign in to the operator's pages");
addOperatorAdd(operator);
addOperatorLink(operator);
addOperatorList(operator);
addOperatorRemove(operator);

const person = program.command('person').description('the people who sign in to the panel');
addPersonLink(person);

const vm = program.command('vm').description('the VMs of all accounts');
addVmList(vm);
addVmShow(vm);
addVmStop(vm);
addVmRestore(vm);
addVmRebuild(vm);

const tenant = program.command('tenant').description('DDoS Shield tenants of an account');
addTenantCreate(tenant);
addTenantList(tenant);
addTenantShow(tenant);

const target = program.command('target').description('addresses that the DDoS Shield protects');
addTargetAdd(target);
addTargetList(target);
addTargetMode(target);
addTargetThreshold(target);
addTargetBlackhole(target);
addTargetRemove(target);

const shield = program.command('shield').description('attacks, including simulated ones');
addShieldAttacks(shield);
addShieldAttack(shield);
addShieldStop(shield);
addShieldFastnetmon(shield);

const job = program.command('job').description('jobs of VMs');
addJobList(job);
addJobShow(job);
addJobRetry(job);
addJobAbandon(job);

const orphan = program.command('orphan').description('guests that belong to no VM');
addOrphanList(orphan);
addOrphanRemove(orphan);

const host = program.command('host').description('the hosts of VMs, and preparing them for a shutdown');
addHostShow(host);
addHostDrain(host);
addHostResume(host);
addHostList(host);
addHostActions(host);

const cluster = program.command('cluster').description('the clusters of VMs, if any');
addClusterCheck(cluster);
addClusterList(cluster);
addClusterAdd(cluster);
addClusterChange(cluster);
addClusterRemove(cluster);

const image = program.command('image').description('disk images for VMs');
addImageImport(image);
addImageList(image);
addImageRemove(image);
addImageCollect(image);

const mail = program.command('mail').description('mails to people');
addMailList(mail);
addMailRetry(mail);

const secret = program.command('secret').description('the keys that seal secrets in the database');
addSecretRotate(secret);

const opsKey = program.command('ops-key').description('the SSH key by which the service logs in to VMs');
addOpsKeyShow(opsKey);
addOpsKeyRotate(opsKey);

const books = program.command('books').description('how the books count their currency and their documents');
addBooksExponent(books);
addBooksSeries(books);

const exports = program.command('export').description('files for bookkeeping');
addExportBookings(exports);
addExportSales(exports);

addOverview(program);
addAudit(program);
addLog(program);
addDoctor(program);
addCompletion(program);
