import type { Tenant } from '../../shared/api/operator.ts';
import { type Add, group, plain, required } from '../command.ts';
import { contextOf } from '../context.ts';
import { ACCOUNT, TENANT } from '../option-values.ts';
import { instant, print, printFields, printJson, printTable } from '../output.ts';
import { printTargets } from './target.ts';

const create = plain('create', 'createTenant', {
  about: 'create a DDoS Shield tenant without targets',
  args: { id: ACCOUNT },
  options: { name: required('--name <name>', 'name of the tenant') },
  print: printTenant,
});

const list = plain('list', 'listTenants', {
  about: 'list all DDoS Shield tenants, newest first',
  print: (tenants) =>
    printTable(
      ['ID', 'NAME', 'ACCOUNT', 'CREATED'],
      tenants.map(({ id, name, account_id, created_at }) => [id, name, account_id, instant(created_at)]),
    ),
});

const show: Add = (parent) => {
  parent
    .command('show')
    .description('show a DDoS Shield tenant with its targets')
    .argument(...TENANT)
    .action(async (id: string, _options: object, command) => {
      const { client, json } = contextOf(command);
      const tenant = await client.call('getTenant', { id });
      const targets = await client.call('listTargets', { id });
      if (json) return printJson({ ...tenant, targets });
      printTenant(tenant);
      if (targets.length === 0) return;
      print();
      printTargets(targets);
    });
};

function printTenant({ id, name, account_id, created_at }: Tenant): void {
  printFields({ id, name, account: account_id, created: instant(created_at) });
}

export const tenant = group('tenant', 'DDoS Shield tenants of an account', create, list, show);
