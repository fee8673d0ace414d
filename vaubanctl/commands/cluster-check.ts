import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson, printTable } from '../output.ts';

export function addClusterCheck(parent: Command): void {
  parent
    .command('check')
    .description('check the clusters item by item; exits with 1 if one of them cannot run VMs')
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
