import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import type { SignInLink } from '../operator-api.ts';
import { instant, note, print, printJson } from '../output.ts';

interface Options {
  account?: string;
  role?: 'owner' | 'operator' | 'viewer';
}

export function addPersonLink(parent: Command): void {
  parent
    .command('link')
    .description('create a link that signs a person in to the panel once')
    .argument('<email>', 'sign-in address of the person')
    .option('--account <account>', 'make them a member of this account, and create the person if necessary')
    .option('--role <role>', 'owner, operator or viewer of it (default: owner)')
    .addHelpText(
      'after',
      `
The link replaces all factors, so give it only to that person. Only the link is written to standard output.

Examples:
  $ vaubanctl person link anna@example.com
  $ vaubanctl person link anna@example.com --account acc_… --role operator`,
    )
    .action(async (email: string, { account, role }: Options, command: Command) => {
      const { client, json } = contextOf(command);
      const body = { email, account_id: account, role };
      const link: SignInLink = await client.post('/people/sign-in-link', { body });
      if (json) return printJson(link);
      print(link.url);
      note(`Signs ${link.person_id} in once, until ${instant(link.expires_at)}.`);
    });
}
