import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import type { OperatorLink } from '../operator-api.ts';
import { instant, note, print, printJson, printTable } from '../output.ts';

const EMAIL = 'sign-in address of the operator';

export function addOperatorAdd(parent: Command): void {
  parent
    .command('add')
    .description("give an address access to the operator's pages; prints a link that works once")
    .argument('<email>', EMAIL)
    .addHelpText(
      'after',
      `
The link leads to a page for choosing a second factor, which is required before anything else. Only the link is written to standard output.

Example:
  $ vaubanctl operator add anna@example.com`,
    )
    .action(async (email: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      printLink(await client.post('/operators', { body: { email } }), email, json);
    });
}

export function addOperatorLink(parent: Command): void {
  parent
    .command('link')
    .description('let a locked-out operator start over; prints a link that works once')
    .argument('<email>', EMAIL)
    .option('--yes', 'do not ask for confirmation')
    .action(async (email: string, { yes }: { yes?: boolean }, command: Command) => {
      const { client, json } = contextOf(command);
      await confirm(`Remove the password, second factors and sessions of ${email}?`, yes);
      printLink(await client.post('/operators/sign-in-link', { body: { email } }), email, json);
    });
}

export function addOperatorRemove(parent: Command): void {
  parent
    .command('remove')
    .description('end the access of an operator at once')
    .argument('<email>', EMAIL)
    .option('--yes', 'do not ask for confirmation')
    .action(async (email: string, { yes }: { yes?: boolean }, command: Command) => {
      const { client, json } = contextOf(command);
      await confirm(`End the access of ${email} to the operator's pages?`, yes);
      const removed = await client.post('/operators/remove', { body: { email } });
      if (json) printJson(removed);
      else print(`${email} is no longer an operator.`);
    });
}

export function addOperatorList(parent: Command): void {
  parent
    .command('list')
    .description('list the operators')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const operators = await client.get('/operators');
      if (json) return printJson(operators);
      printTable(
        ['EMAIL', 'PASSWORD', 'APP', 'PASSKEYS>', 'LAST SIGN-IN', 'CREATED'],
        operators.map(({ email, password, totp, passkeys, last_sign_in_at, created_at }) => [
          email,
          password ? 'yes' : 'no',
          totp ? 'yes' : 'no',
          String(passkeys),
          instant(last_sign_in_at),
          instant(created_at),
        ]),
      );
    });
}

function printLink(link: OperatorLink, email: string, json: boolean | undefined): void {
  if (json) {
    printJson(link);
  } else {
    print(link.url);
    note(`Signs ${email} in once, until ${instant(link.expires_at)}.`);
  }
}
