import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import type { Scope } from '../operator-api.ts';
import type { OperatorClient } from '../operator-client.ts';
import { parseList, parseTimeAhead } from '../option-values.ts';
import { instant, note, print, printJson } from '../output.ts';

interface Options {
  name: string;
  scopes: string[];
  expires?: string;
  allowIp?: string[];
}

export function addKeyCreate(parent: Command): void {
  parent
    .command('create')
    .description('create an API key and print it once')
    .argument('<account>', 'id of the account, acc_…')
    .requiredOption('--name <name>', 'purpose of the key')
    .requiredOption('--scopes <list>', 'scopes separated by commas; "all" for every scope', parseList)
    .option('--expires <when>', 'expiry: 2027-01-01T00:00:00Z, 30d or 12h (default: never)', parseTimeAhead)
    .option('--allow-ip <cidr...>', 'addresses or networks it may be used from (default: any)')
    .addHelpText(
      'after',
      `
Only the key is written to standard output, so that scripts can read it:
  $ KEY=$(vaubanctl key create acc_… --name ci --scopes vm:read)

Examples:
  $ vaubanctl key create acc_… --name admin --scopes all
  $ vaubanctl key create acc_… --name ci --scopes vm:read,vm:write --expires 90d --allow-ip 203.0.113.0/24`,
    )
    .action(async (id: string, options: Options, command: Command) => {
      const { client, json } = contextOf(command);
      const made = await client.post('/accounts/{id}/keys', {
        params: { id },
        body: {
          name: options.name,
          scopes: await resolveScopes(client, options.scopes),
          expires_at: options.expires,
          allow_cidrs: options.allowIp,
        },
      });
      if (json) return printJson(made);
      print(made.key);
      note(
        `Key ${made.id} of ${made.account_id}, expires: ${instant(made.expires_at)}. ` +
          'It will not be shown again: store it now.',
      );
    });
}

/** Returns the scopes; "all" becomes all of them. The service checks the names. */
async function resolveScopes(client: OperatorClient, scopes: string[]): Promise<Scope[]> {
  if (scopes.length !== 1 || scopes[0] !== 'all') return scopes as Scope[];
  return (await client.get('/scopes')).map(({ scope }) => scope);
}
