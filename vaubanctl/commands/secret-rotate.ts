import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { LONG_TIMEOUT_MS } from '../operator-client.ts';
import { note, print, printJson } from '../output.ts';

export function addSecretRotate(parent: Command): void {
  parent
    .command('rotate')
    .description(
      'reseal all secrets with the first installation key, so that the others can be removed; safe to repeat',
    )
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const done = await client.post('/secrets/rotate', { timeoutMs: LONG_TIMEOUT_MS });
      if (json) printJson(done);
      else {
        print(`Sealed with the key ${done.key_id}: ${done.resealed} resealed, ${done.unchanged} unchanged.`);
        if (done.unreadable === 0) print('The other keys are no longer needed.');
        else note(`vaubanctl: ${done.unreadable} could not be opened: their key is not configured`);
      }
      if (done.unreadable > 0) process.exitCode = 1;
    });
}
