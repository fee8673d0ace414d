import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { print, printJson, printTable } from '../output.ts';

export function addDoctor(parent: Command): void {
  parent
    .command('doctor')
    .description('check whether this machine can run VMs; exits with 1 if it cannot')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const host = await client.get('/host');
      if (json) printJson(host);
      else {
        print(`VMs run on: ${host.compute}`);
        printTable(
          ['STATE', 'WHAT', 'FOUND'],
          host.findings.map(({ state, what, found }) => [state, what, found]),
        );
      }
      if (host.findings.some(({ state }) => state === 'missing')) process.exitCode = 1;
    });
}
