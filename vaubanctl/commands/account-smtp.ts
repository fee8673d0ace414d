import { Argument, type Command } from 'commander';
import { contextOf } from '../context.ts';
import type { Account } from '../operator-api.ts';
import { print, printJson } from '../output.ts';

export function addAccountSmtp(parent: Command): void {
  parent
    .command('smtp')
    .description('let the VMs of an account send mail to strangers, by port 25 of others, or not')
    .argument('<account>', 'id of the account, acc_…')
    .addArgument(
      new Argument('<state>', 'closed is what every account begins with').choices(['open', 'closed']),
    )
    .addHelpText(
      'after',
      `
Ports 465 and 587, by which mail is given to one's own provider, are always open. Connections that are established stay.

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
