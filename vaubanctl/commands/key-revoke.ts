import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { instant, print, printJson } from '../output.ts';

export function addKeyRevoke(parent: Command): void {
  parent
    .command('revoke')
    .description('revoke a key; it stops working within a second')
    .argument('<key>', 'id of the key, apk_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const key = await client.post('/keys/{id}/revoke', { params: { id } });
      if (json) printJson(key);
      else
        print(`Key ${key.id} (${key.name}) of ${key.account_id} was revoked at ${instant(key.revoked_at)}.`);
    });
}
