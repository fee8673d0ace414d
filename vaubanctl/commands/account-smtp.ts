import { Argument, type Command } from 'commander';
import { contextOf } from '../context.ts';
import type { Account } from '../operator-api.ts';
import { print, printJson } from '../output.ts';

export function addAccountSmtp(parent: Command): void {
  parent
    .command('smtp')
    .description('open or close outgoing mail (port 25) for the VMs of an account')
    .argument('<account>', 'id of the account, acc_…')
    .addArgument(
      new Argument('<state>', 'closed is the default for every account').choices(['open', 'closed']),
    )
    .addHelpText(
      'after',
      `
Ports 465 and 587, for sending mail through a provider, are always open. Established connections stay open.

Examples:
  $ vaubanctl account smtp acc_… open
  $ vaubanctl account smtp acc_… closed`,
    )
    .action(async (id: string, state: Account['smtp'], _: object, command: Command) => {
      const { client, json } = contextOf(command);
      const account = await client.post('/accounts/{id}/smtp', {
        params: { id },
        body: { open: state === 'open' },
      });
      if (json) return printJson(account);
      print(
        `Outbound SMTP of ${account.id} (${account.name}) is ${account.smtp}, for running VMs within moments.`,
      );
    });
}
