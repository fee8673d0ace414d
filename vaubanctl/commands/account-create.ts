import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { collectLimit } from '../option-values.ts';
import { printJson } from '../output.ts';
import { printAccount } from '../print-account.ts';

interface Options {
  name: string;
  currency?: string;
  limit?: Record<string, number>;
}

export function addAccountCreate(parent: Command): void {
  parent
    .command('create')
    .description('create an account with an empty wallet')
    .requiredOption('--name <name>', 'name of the account')
    .option('--currency <code>', "the catalog's currency, the only one possible")
    .option('--limit <name=number>', "a quota that differs from the catalog's; repeatable", collectLimit)
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl account create --name "Example Ltd"
  $ vaubanctl account create --name "Example Ltd" --limit vms=50 --limit vcpu=200`,
    )
    .action(async ({ name, currency, limit }: Options, command: Command) => {
      const { client, json } = contextOf(command);
      const account = await client.post('/accounts', { body: { name, currency, limits: limit } });
      if (json) printJson(account);
      else printAccount(account);
    });
}
