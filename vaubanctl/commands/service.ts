import type { LogEntry, MoneyOfSpan } from '../../shared/api/operator.ts';
import { plain } from '../command.ts';
import { instant, money, note, print, printFields, printTable } from '../output.ts';

/** About one screen of a terminal. */
const LOG_ENTRIES = 50;

export const overview = plain('overview', 'getOverview', {
  about: 'show the status of the service: money, tasks for the operator, current activity',
  print: (all) => {
    const { currency } = all;
    const span = ({ received_minor, paid_out_minor, sold_minor }: MoneyOfSpan) =>
      `received ${money(received_minor, currency)}, paid out ${money(paid_out_minor, currency)}, sold ${money(sold_minor, currency)}`;
    printFields({
      service: `${all.version}, ${all.compute}, ${all.database}, edge ${all.edge}`,
      today: span(all.today),
      month: span(all.month),
      accounts: `${all.accounts_active} active, ${all.accounts_suspended} suspended`,
      VMs: `${all.vms_total}: ${all.vms_running} running, ${all.vms_unpaid} unpaid, ${all.vms_error} in error`,
      jobs: `${all.jobs_active} in progress, ${all.jobs_stuck} of which keep failing`,
      transfers: `${all.transfers_waiting} to confirm, ${money(all.transfers_waiting_minor, currency)}`,
      mails: `${all.mails_failed} given up`,
      attacks: `${all.attacks_ongoing} ongoing`,
    });
  },
});

export const audit = plain('audit', 'auditBooks', {
  about: 'check the books against the rules of the ledger; exits with 1 and lists the rows that violate them',
  isLong: true,
  isBad: ({ findings }) => findings.length > 0,
  print: ({ accounts, laws, findings, truncated }) => {
    if (findings.length > 0)
      printTable(
        ['LAW', 'FINDING'],
        findings.map(({ law, what }) => [law, what]),
      );
    const count = findings.length === 0 ? 'no' : findings.length;
    note(
      `${laws} laws, ${accounts} accounts: ${truncated ? `more than ${findings.length}` : count} findings.`,
    );
  },
});

export const log = plain('log', 'listLog', {
  about: 'show the actions of operators and their results, newest first',
  count: [LOG_ENTRIES, `number of entries (default: ${LOG_ENTRIES})`],
  print: (entries) =>
    printTable(
      ['AT', 'WHO', 'REQUEST', 'WITH', 'OUTCOME'],
      entries.map((entry) => [
        instant(entry.created_at),
        who(entry),
        entry.request,
        Object.keys(entry.input).length > 0 ? JSON.stringify(entry.input) : '-',
        outcome(entry.status),
      ]),
    ),
});

function who({ user_name, login_name, uid, email, ip }: LogEntry): string {
  if (email) return ip ? `${email} from ${ip}` : email;
  const user = user_name ?? (uid === null ? 'unknown' : String(uid));
  return login_name ? `${login_name} as ${user}` : user;
}

function outcome(status: number | null): string {
  if (status === null) return 'cut off';
  return status === 200 ? 'done' : `refused (${status})`;
}

export const doctor = plain('doctor', 'getHost', {
  about: 'check whether this machine can run VMs; exits with 1 if it cannot',
  isBad: ({ findings }) => findings.some(({ state }) => state === 'missing'),
  print: ({ compute, findings }) => {
    print(`VMs run on: ${compute}`);
    printTable(
      ['STATE', 'WHAT', 'FOUND'],
      findings.map(({ state, what, found }) => [state, what, found]),
    );
  },
});
