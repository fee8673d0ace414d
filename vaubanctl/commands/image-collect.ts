import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { LONG_TIMEOUT_MS } from '../operator-client.ts';
import { print, printJson } from '../output.ts';

const MIB = 2 ** 20;

export function addImageCollect(parent: Command): void {
  parent
    .command('collect')
    .description(
      'delete image files that no name, VM or warm template needs and that are at least an hour old',
    )
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const collected = await client.post('/images/collect', { timeoutMs: LONG_TIMEOUT_MS });
      if (json) printJson(collected);
      else print(`Files removed: ${collected.files}, ${Math.ceil(collected.bytes / MIB)} MiB freed.`);
    });
}
