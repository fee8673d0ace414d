import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import type { CreditedOutage, Outage } from '../operator-api.ts';
import { KEY, parseDay } from '../option-values.ts';
import { instant, money, printFields, printJson, printTable } from '../output.ts';

interface AddOptions {
  region?: string;
  vm?: string;
  from: string;
  to: string;
  reason: string;
  key?: string;
}

export function addOutageAdd(parent: Command): void {
  parent
    .command('add')
    .description('report that a region or a VM was unavailable; this does not credit anything yet')
    .option('--region <region>', 'the region, by its code in the catalog')
    .option('--vm <vm>', 'or a single VM')
    .requiredOption('--from <instant>', 'start, such as 2026-01-31T12:00:00Z', parseDay)
    .requiredOption('--to <instant>', 'end', parseDay)
    .requiredOption('--reason <text>', 'cause; visible to customers with their credits')
    .option(...KEY)
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl outage add --region eu-central --from 2026-01-31T12:00:00Z --to 2026-01-31T14:30:00Z --reason "power"
  $ vaubanctl adjustment sla --outage out_…`,
    )
    .action(async ({ vm, ...options }: AddOptions, command: Command) => {
      const { client, json } = contextOf(command);
      const outage = await client.post('/outages', { body: { ...options, vm_id: vm } });
      if (json) printJson(outage);
      else printFields(fieldsOf(outage));
    });
}

export function addOutageList(parent: Command): void {
  parent
    .command('list')
    .description('outages and their credits, latest reported first')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const outages = await client.list('/outages');
      if (json) return printJson(outages);
      printTable(
        ['ID', 'WHERE', 'FROM', 'TO', 'STATUS', 'VMS>', 'CREDITED>', 'REASON', 'BY'],
        outages.map((outage) => [
          outage.id,
          outage.region ?? outage.vm_id!,
          instant(outage.from_at),
          instant(outage.to_at),
          outage.status,
          String(outage.credited),
          money(outage.credited_minor, outage.currency),
          outage.reason,
          outage.actor,
        ]),
      );
    });
}

export function addAdjustmentSla(parent: Command): void {
  parent
    .command('sla')
    .description('credit an outage to each affected VM, by the rule of the catalog')
    .requiredOption('--outage <outage>', 'its id, out_…')
    .addHelpText(
      'after',
      `
Each VM is credited once per outage, however often this is called. If interrupted, call it again to continue.`,
    )
    .action(async ({ outage: id }: { outage: string }, command: Command) => {
      const { client, json } = contextOf(command);
      let outage: CreditedOutage;
      do outage = await client.post('/outages/{id}/credit', { params: { id } });
      while (outage.status !== 'credited');
      if (json) return printJson(outage);
      printFields({
        ...fieldsOf(outage),
        vms: String(outage.credited),
        credited: money(outage.credited_minor, outage.currency),
      });
    });
}

const fieldsOf = (outage: Outage) => ({
  outage: outage.id,
  where: outage.region ?? outage.vm_id!,
  from: instant(outage.from_at),
  to: instant(outage.to_at),
  status: outage.status,
  reason: outage.reason,
});
