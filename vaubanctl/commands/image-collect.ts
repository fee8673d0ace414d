import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { LONG_TIMEOUT_MS } from '../operator-client.ts';
import { print, printJson } from '../output.ts';

const MIB = 2 ** 20;

export function addImageCollect(parent: Command): void {
  parent
    .command('collect')
    .description(
      'free the room of images that no name, no VM and no warm template needs, an hour after they came',
    )
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const collected = await client.post('/images/collect', { timeoutMs: LONG_TIMEOUT_MS });
      if (json) printJson(collected);
      else print(`${collected.files} files were removed: ${Math.ceil(collected.bytes / MIB)} MiB are free.`);
    });
}
