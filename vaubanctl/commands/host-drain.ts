import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { LONG_TIMEOUT_MS } from '../operator-client.ts';
import { parseCount } from '../option-values.ts';
import { printJson } from '../output.ts';

interface Options {
  timeout?: number;
  yes?: boolean;
}

export function addHostDrain(parent: Command): void {
  parent
    .command('drain')
    .description('shut all guests down, and start none until the service restarts, or `host resume`')
    .option('--timeout <seconds>', 'after which their power is cut; 90 when absent', parseCount)
    .option('--yes', 'do not ask')
    .action(async ({ timeout, yes }: Options, command: Command) => {
      const { client, json } = contextOf(command);
      await confirm('Shut down all guests of this host?', yes);
      const drained = await client.post('/host/drain', {
        body: { timeout_seconds: timeout },
        timeoutMs: LONG_TIMEOUT_MS,
      });
      if (json) printJson(drained);
      else
        console.log(
          `${drained.shut_down} guests were shut down, the power of ${drained.powered_off} was cut.`,
        );
      if (drained.left.length > 0) throw new Failure([`still on: ${drained.left.join(', ')}`], 1);
    });
}
