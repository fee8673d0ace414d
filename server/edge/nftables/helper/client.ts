import { systemClock } from '../../../platform/clock.ts';
import { followAlterations } from '../../../platform/helper/alterations.ts';
import { HelperConnection, type HelperError } from '../../../platform/helper/connection.ts';
import { InvalidArgumentError } from '../../../platform/helper/shapes.ts';
import {
  type EdgeCapabilities,
  type EdgeDriver,
  type EdgeReading,
  type EdgeReceipt,
  type EdgeReport,
  type EdgeTarget,
  EdgeUnavailableError,
  type PortSample,
  type RuleCounters,
  type TargetDetail,
  type TargetTotals,
} from '../../driver.ts';
import { CAPABILITIES, READ_EVERY_MS } from '../nftables.ts';
import type { Operation } from './operations.ts';

/** To rebuild everything takes seconds; its programs are given up after a minute each. */
const CALL_MS = 120_000;

/**
 * The edge of this host for a service without privileges: everything is done by the helper that listens at a socket.
 * Connects when first asked, and again after the helper was restarted.
 */
export class EdgeClient implements EdgeDriver {
  readonly name = 'nftables';
  readonly readEveryMs = READ_EVERY_MS;
  readonly #connection: HelperConnection;
  readonly #closing = new AbortController();
  #configured: Pick<EdgeCapabilities, 'synProxy'> & { prefixes: readonly string[] } = { prefixes: [] };

  constructor(path: string, callMs = CALL_MS) {
    this.#connection = new HelperConnection({ path, callMs, what: 'the edge helper', asError });
  }

  async probe(): Promise<EdgeReport> {
    try {
      const found = (await this.#call('probe', {})) as EdgeReport & { prefixes: string[]; synProxy: boolean };
      const { prefixes, synProxy, ...report } = found;
      this.#configured = { prefixes, synProxy };
      return report;
    } catch (error) {
      return { ok: false, summary: (error as Error).message };
    }
  }

  /** Throws where the helper does not listen. */
  reachable(): Promise<void> {
    return this.#connection.reachable();
  }

  capabilities(): EdgeCapabilities {
    return { ...CAPABILITIES, ...this.#configured };
  }

  onAltered(listener: () => void): void {
    followAlterations({
      clock: systemClock,
      signal: this.#closing.signal,
      ask: () => this.#call('altered', {}),
      // It may have another configuration than before.
      reach: async () => {
        await this.reachable();
        await this.probe();
      },
      listener,
    });
  }

  async reconcile(targets: EdgeTarget[]): Promise<EdgeReceipt> {
    return (await this.#call('reconcile', { targets })) as EdgeReceipt;
  }

  async putTarget(target: EdgeTarget): Promise<EdgeReceipt> {
    return (await this.#call('put', { target })) as EdgeReceipt;
  }

  async removeTarget(id: string): Promise<void> {
    await this.#call('remove', { id });
  }

  readTotals(): Promise<EdgeReading<TargetTotals>> {
    return this.#read('totals', {});
  }

  readDetail(ids: string[]): Promise<EdgeReading<TargetDetail>> {
    return this.#read('detail', { ids });
  }

  readRuleCounters(ids: string[]): Promise<EdgeReading<RuleCounters>> {
    return this.#read('counters', { ids });
  }

  async startPortSample(ids: string[]): Promise<void> {
    await this.#call('sample', { ids });
  }

  async readPortSamples(ids: string[]): Promise<PortSample[]> {
    return (await this.#call('samples', { ids })) as PortSample[];
  }

  async blackhole(id: string, on: boolean): Promise<void> {
    await this.#call('blackhole', { id, on });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection.close();
  }

  async #read<Row>(operation: Operation, given: object): Promise<EdgeReading<Row>> {
    const { at, ...rest } = (await this.#call(operation, given)) as EdgeReading<Row> & { at: string };
    return { ...rest, at: new Date(at) };
  }

  #call(operation: Operation, given: object): Promise<unknown> {
    return this.#connection.call(operation, given);
  }
}

function asError({ name, message }: HelperError): Error {
  return name === 'InvalidArgumentError'
    ? new InvalidArgumentError(message)
    : new EdgeUnavailableError(message);
}
