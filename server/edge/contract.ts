import { test } from 'node:test';
import { COUNTING } from './contract-counting.ts';
import { type EdgeContractOptions, openHarness } from './contract-harness.ts';
import { RULES } from './contract-rules.ts';

/** Registers the tests that every edge driver must pass. */
export function edgeContract(name: string, options: EdgeContractOptions): void {
  for (const [promise, keeps] of Object.entries({ ...RULES, ...COUNTING })) {
    test(`${name}: ${promise}`, { timeout: options.testTimeoutMs, skip: options.skip }, async (t) => {
      await keeps(await openHarness(t, options));
    });
  }
}
