import type { PortForwardEntry } from '../../../compute/network-policy.ts';
import { systemClock } from '../../../platform/clock.ts';
import { followAlterations } from '../../../platform/helper/alterations.ts';
import { HelperConnection, type HelperError } from '../../../platform/helper/connection.ts';
import { InvalidArgumentError } from '../../../platform/helper/shapes.ts';
import {
  type GatewayCapabilities,
  type GatewayDriver,
  type GatewayReport,
  GatewayUnavailableError,
} from '../../driver.ts';
import type { Operation } from './operations.ts';

/** To rebuild everything takes seconds; its programs are given up after a minute each. */
const CALL_MS = 120_000;

type Allowed = Pick<GatewayCapabilities, 'publicPorts' | 'guestPrefixes'>;

/** The gateway of this host for a service without privileges: everything is done by the helper that listens at a socket. */
export class GatewayClient implements GatewayDriver {
  readonly name = 'nftables';
  readonly #connection: HelperConnection;
  readonly #closing = new AbortController();
  #allowed: Allowed = { publicPorts: [], guestPrefixes: [] };

  constructor(path: string) {
    this.#connection = new HelperConnection({ path, callMs: CALL_MS, what: 'the gateway helper', asError });
  }

  async probe(): Promise<GatewayReport> {
    try {
      const found = (await this.#call('probe', {})) as GatewayReport & Allowed;
      const { publicPorts, guestPrefixes, ...report } = found;
      this.#allowed = { publicPorts, guestPrefixes };
      return report;
    } catch (error) {
      return { ok: false, summary: (error as Error).message };
    }
  }

  /** Throws where the helper does not listen. */
  reachable(): Promise<void> {
    return this.#connection.reachable();
  }

  capabilities(): GatewayCapabilities {
    return { forwards: 'here', ...this.#allowed };
  }

  async applyForwards(forwards: PortForwardEntry[]): Promise<void> {
    await this.#call('apply', { forwards });
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

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection.close();
  }

  #call(operation: Operation, given: object): Promise<unknown> {
    return this.#connection.call(operation, given);
  }
}

function asError({ name, message }: HelperError): Error {
  return name === 'InvalidArgumentError'
    ? new InvalidArgumentError(message)
    : new GatewayUnavailableError(message);
}
