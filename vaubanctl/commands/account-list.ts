import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { instant, money, printJson, printTable } from '../output.ts';

export function addAccountList(parent: Command): void {
  parent
    .command('list')
    .description('list all accounts, newest first')
    .option(
      '--search <text>',
      "only accounts with this id, or with this text in their name or a member's address",
    )
    .action(async ({ search }: { search?: string }, command: Command) => {
      const { client, json } = contextOf(command);
      const accounts = await client.list('/accounts', { query: { search } });
      if (json) return printJson(accounts);
      printTable(
        ['ID', 'NAME', 'STATUS', 'AVAILABLE>', 'HELD>', 'VMS>', 'CREATED'],
        accounts.map(({ id, name, status, currency, wallet, vm_count, created_at }) => [
          id,
          name,
          status,
          money(wallet.available_minor, currency),
          money(wallet.held_minor, currency),
          String(vm_count),
          instant(created_at),
        ]),
      );
    });
}
