import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import type { MoneyOfSpan } from '../operator-api.ts';
import { money, printFields, printJson } from '../output.ts';

export function addOverview(parent: Command): void {
  parent
    .command('overview')
    .description('show the status of the service: money, tasks for the operator, current activity')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const all = await client.get('/overview');
      if (json) return printJson(all);
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
    });
}
