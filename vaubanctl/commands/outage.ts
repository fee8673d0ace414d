import type { Outage } from '../../shared/api/operator.ts';
import { group, plain, required } from '../command.ts';
import { KEY, parseDay } from '../option-values.ts';
import { instant, money, printFields, printTable } from '../output.ts';

const add = plain('add', 'reportOutage', {
  about: 'report that a region or a VM was unavailable; this does not credit anything yet',
  options: {
    region: ['--region <region>', 'the region, by its code in the catalog'],
    vm_id: ['--vm <vm>', 'or a single VM'],
    from: required('--from <instant>', 'start, such as 2026-01-31T12:00:00Z', parseDay),
    to: required('--to <instant>', 'end', parseDay),
    reason: required('--reason <text>', 'cause; visible to customers with their credits'),
    key: KEY,
  },
  help: `Examples:
  $ vaubanctl outage add --region eu-central --from 2026-01-31T12:00:00Z --to 2026-01-31T14:30:00Z --reason "power"
  $ vaubanctl adjustment sla --outage out_…`,
  print: (outage) => printFields(outageFields(outage)),
});

const list = plain('list', 'listOutages', {
  about: 'outages and their credits, latest reported first',
  print: (outages) =>
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
    ),
});

export const outageFields = (outage: Outage) => ({
  outage: outage.id,
  where: outage.region ?? outage.vm_id!,
  from: instant(outage.from_at),
  to: instant(outage.to_at),
  status: outage.status,
  reason: outage.reason,
});

export const outage = group('outage', 'periods in which a region or a VM was unavailable', add, list);
