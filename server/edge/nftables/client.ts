import { HelperClient } from '../../helpers/client.ts';
import type { Operation } from '../../helpers/edge/operations.ts';
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
} from '../driver.ts';
import { CAPABILITIES, READ_EVERY_MS } from './nftables.ts';

type Configured = Pick<EdgeCapabilities, 'synProxy'> & { prefixes: readonly string[] };

/** This host's edge for a service without privileges, which talks to the privileged helper. */
export class EdgeClient extends HelperClient<Operation> implements EdgeDriver {
  readonly name = 'nftables';
  readonly readEveryMs = READ_EVERY_MS;
  #configured: Configured = { prefixes: [] };

  constructor(path: string, callMs?: number) {
    super({
      path,
      what: 'the edge helper',
      ...(callMs !== undefined && { callMs }),
      unavailable: (message) => new EdgeUnavailableError(message),
    });
  }

  capabilities(): EdgeCapabilities {
    return { ...CAPABILITIES, ...this.#configured };
  }

  async reconcile(targets: EdgeTarget[]): Promise<EdgeReceipt> {
    return (await this.call('reconcile', { targets })) as EdgeReceipt;
  }

  async putTarget(target: EdgeTarget): Promise<EdgeReceipt> {
    return (await this.call('put', { target })) as EdgeReceipt;
  }

  async removeTarget(id: string): Promise<void> {
    await this.call('remove', { id });
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
    await this.call('sample', { ids });
  }

  async readPortSamples(ids: string[]): Promise<PortSample[]> {
    return (await this.call('samples', { ids })) as PortSample[];
  }

  async blackhole(id: string, on: boolean): Promise<void> {
    await this.call('blackhole', { id, on });
  }

  protected override async configure(): Promise<EdgeReport> {
    const found = (await this.call('probe', {})) as EdgeReport & Configured;
    const { prefixes, synProxy, ...report } = found;
    this.#configured = { prefixes, synProxy };
    return report;
  }

  async #read<Row>(operation: Operation, given: object): Promise<EdgeReading<Row>> {
    const { at, ...rest } = (await this.call(operation, given)) as EdgeReading<Row> & { at: string };
    return { ...rest, at: new Date(at) };
  }
}
