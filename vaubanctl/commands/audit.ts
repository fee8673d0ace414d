import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { LONG_TIMEOUT_MS } from '../operator-client.ts';
import { note, printJson, printTable } from '../output.ts';

export function addAudit(parent: Command): void {
  parent
    .command('audit')
    .description(
      'check the books against the rules of the ledger; exits with 1 and lists the rows that violate them',
    )
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const report = await client.post('/audit', { timeoutMs: LONG_TIMEOUT_MS });
      const { accounts, laws, findings, truncated } = report;
      if (findings.length > 0) process.exitCode = 1;
      if (json) return printJson(report);
      if (findings.length > 0)
        printTable(
          ['LAW', 'FINDING'],
          findings.map(({ law, what }) => [law, what]),
        );
      const found = truncated
        ? `more than ${findings.length}`
        : findings.length === 0
          ? 'no'
          : findings.length;
      note(`${laws} laws, ${accounts} accounts: ${found} findings.`);
    });
}
