import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { EdgeDriver, EdgeMatch, EdgeRule, EdgeTarget, RuleCounters, TargetTotals } from './driver.ts';

/** For packets of a few hundred bytes. */
const BITS_PER_PACKET = 4_000;

/** One driver over one edge, as the contract's tests use it. */
export interface EdgeContractSetup {
  driver: EdgeDriver;
  /** Returns a target of this edge without rules, with a new id and a new address. */
  target(): EdgeTarget;
  /**
   * Sends UDP packets from source port `SENT_PORT` to a target for a moment and waits until they are counted. Roughly
   * `SENT_PPS` packets per second, so that a limit far below that drops most of them.
   */
  send(target: EdgeTarget): Promise<void>;
  /** Returns the target's packets as seen outside the edge, for an edge that counts nothing itself. */
  seen?(target: EdgeTarget): Promise<Pick<TargetTotals, 'in' | 'passed'>>;
  /** Closes the driver and opens another for the same edge, as a restart of the service does. */
  reopen(): Promise<EdgeDriver>;
  /** Releases the edge, after its targets were removed. */
  close(): Promise<void>;
}

/** Source port that harnesses send from. */
export const SENT_PORT = 123;
export const SENT_PPS = 50_000;

export interface EdgeContractOptions {
  /** Called for each test. */
  open(t: TestContext): Promise<EdgeContractSetup>;
  testTimeoutMs: number;
  /** Why the edge cannot be tested here, if it cannot. */
  skip?: string | false;
}

export interface Harness extends EdgeContractSetup {
  /** Puts a target with these rules on the edge until the test ends. */
  put(rules?: EdgeRule[]): Promise<EdgeTarget>;
  totalsOf(id: string): Promise<TargetTotals | undefined>;
  countersOf(id: string): Promise<RuleCounters[]>;
  /** Returns the packets that arrived and passed so far, as counted by the harness or the edge. */
  seen(target: EdgeTarget): Promise<Pick<TargetTotals, 'in' | 'passed'>>;
}

/** The contract's promises, each with its test. */
export type ContractCases = Record<string, (harness: Harness) => Promise<void>>;

const ANY: EdgeMatch = {
  protocol: 'any',
  source: null,
  sourcePorts: [],
  destinationPorts: [],
  packetLength: null,
  tcpFlags: null,
  fragments: 'any',
};

export function blocks(id: string, match: Partial<EdgeMatch>): EdgeRule {
  return { id, action: 'block', match: { ...ANY, ...match }, rate: null };
}

/** A limit of about this many of a harness's packets per second, in a unit that the edge supports. */
export function limitsBy(driver: EdgeDriver, id: string, match: Partial<EdgeMatch>, pps: number): EdgeRule {
  if (driver.capabilities().rateUnits.includes('pps')) return limits(id, match, pps);
  return { ...limits(id, match, pps), rate: { unit: 'bps', value: pps * BITS_PER_PACKET } };
}

export function limits(id: string, match: Partial<EdgeMatch>, pps: number): EdgeRule {
  return { id, action: 'rate_limit', match: { ...ANY, ...match }, rate: { unit: 'pps', value: pps } };
}

/** Opens an edge for one test. Its targets are taken off the edge when the test ends. */
export async function openHarness(t: TestContext, options: EdgeContractOptions): Promise<Harness> {
  const setup = await options.open(t);
  const ids: string[] = [];
  t.after(async () => {
    const driver = await setup.reopen();
    for (const id of ids) await driver.removeTarget(id);
    await driver.close();
    await setup.close();
  });
  const totalsOf = async (id: string) => (await setup.driver.readTotals()).rows.find((row) => row.id === id);
  return {
    seen: async ({ id }) => (await totalsOf(id))!,
    ...setup,
    async put(rules = []) {
      const target = { ...setup.target(), rules };
      ids.push(target.id);
      const receipt = await setup.driver.putTarget(target);
      assert.deepEqual(receipt, { targets: 1, rules: rules.length });
      return target;
    },
    totalsOf,
    countersOf: async (id) => (await setup.driver.readRuleCounters([id])).rows,
  };
}
