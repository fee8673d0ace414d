import type { Key, Scope } from '../../shared/api/operator.ts';
import { type Add, group, plain } from '../command.ts';
import { contextOf } from '../context.ts';
import type { OperatorClient } from '../operator-client.ts';
import { ACCOUNT, parseList, parseTimeAhead } from '../option-values.ts';
import { instant, note, print, printJson, printTable } from '../output.ts';

interface Options {
  name: string;
  scopes: string[];
  expires?: string;
  allowIp?: string[];
}

const create: Add = (parent) => {
  parent
    .command('create')
    .description('create an API key and print it once')
    .argument(...ACCOUNT)
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
    .action(async (id: string, options: Options, command) => {
      const { client, json } = contextOf(command);
      const made = await client.call('createKey', {
        id,
        name: options.name,
        scopes: await resolveScopes(client, options.scopes),
        expires_at: options.expires,
        allow_cidrs: options.allowIp,
      });
      if (json) return printJson(made);
      print(made.key);
      note(
        `Key ${made.id} of ${made.account_id}, expires: ${instant(made.expires_at)}. ` +
          'It will not be shown again: store it now.',
      );
    });
};

/** Returns the scopes; "all" becomes all of them. The service checks the names. */
async function resolveScopes(client: OperatorClient, scopes: string[]): Promise<Scope[]> {
  if (scopes.length !== 1 || scopes[0] !== 'all') return scopes as Scope[];
  return (await client.call('listScopes')).map(({ scope }) => scope);
}

const list = plain('list', 'listKeys', {
  about: 'list the keys of an account, including revoked and expired ones, newest first',
  args: { id: ACCOUNT },
  print: printKeys,
});

const revoke = plain('revoke', 'revokeKey', {
  about: 'revoke a key; it stops working within a second',
  args: { id: ['<key>', 'id of the key, apk_…'] },
  print: (key) =>
    print(`Key ${key.id} (${key.name}) of ${key.account_id} was revoked at ${instant(key.revoked_at)}.`),
});

export function printKeys(keys: Key[]): void {
  printTable(
    ['ID', 'NAME', 'KEY', 'STATUS', 'EXPIRES', 'LAST USED', 'FROM', 'SCOPES'],
    keys.map((key) => [
      key.id,
      key.name,
      key.hint,
      key.status,
      instant(key.expires_at),
      instant(key.last_used_at),
      key.allow_cidrs.join(',') || 'anywhere',
      key.scopes.join(','),
    ]),
  );
}

export const key = group('key', 'API keys of an account', create, list, revoke);
