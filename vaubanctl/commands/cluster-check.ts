import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson, printTable } from '../output.ts';

export function addClusterCheck(parent: Command): void {
  parent
    .command('check')
    .description(
      'say item by item what is right and wrong with the clusters; ends with 1 where one can run no VM',
    )
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const { findings, ...about } = await client.get('/cluster');
      if (json) printJson({ ...about, findings });
      else
        printTable(
          ['STATE', 'WHAT', 'FOUND'],
          findings.map(({ state, what, found }) => [state, what, found]),
        );
      if (findings.some(({ state }) => state === 'missing')) process.exitCode = 1;
    });
}
