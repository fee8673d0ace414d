import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { collectLimit, collectName } from '../option-values.ts';
import { printFields, printJson } from '../output.ts';

interface Options {
  set?: Record<string, number>;
  reset?: string[];
}

export function addAccountLimits(parent: Command): void {
  parent
    .command('limits')
    .description('show the quotas of an account, or change them')
    .argument('<account>', 'id of the account, acc_…')
    .option('--set <name=number>', 'an individual quota; repeatable', collectLimit)
    .option('--reset <name>', "reset to the catalog's quota; repeatable", collectName)
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl account limits acc_…
  $ vaubanctl account limits acc_… --set vms=100 --set vcpu=400 --reset ram_mb`,
    )
    .action(async (id: string, { set = {}, reset = [] }: Options, command: Command) => {
      const { client, json } = contextOf(command);
      const limits = { ...set, ...Object.fromEntries(reset.map((name) => [name, null])) };
      const account =
        Object.keys(limits).length > 0
          ? await client.post('/accounts/{id}/limits', { params: { id }, body: { limits } })
          : await client.get('/accounts/{id}', { params: { id } });
      if (json) return printJson(account.limits);
      printFields(
        Object.fromEntries(Object.entries(account.limits).map(([name, value]) => [name, String(value)])),
      );
    });
}
