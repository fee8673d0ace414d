import type { PortForwardEntry } from '../compute/network-policy.ts';
import type { PublicPorts } from '../platform/helper/forwards.ts';

/**
 * The promise of a region's gateway: the host that has the public address, and sends what comes in at its forwarded ports on
 * to the guests, wherever they are. A gateway remembers nothing that is not in the database: each is given all forwards, so
 * that one can take the public address over from another.
 *
 * Every method is idempotent. A driver never imports `domain/`. The service calls the methods that change something from
 * one place only, one at a time.
 */
export interface GatewayDriver {
  readonly name: string;
  /** Proves that the gateway works here, and says what it may forward, in one line for the start-up log. */
  probe(): Promise<GatewayReport>;
  capabilities(): GatewayCapabilities;
  /**
   * Makes exactly these forwards, in one step: all of them, or nothing and a throw. Connections by others end; those by
   * forwards that stay go on. Once it resolves both are so.
   */
  applyForwards(all: PortForwardEntry[]): Promise<void>;
  /**
   * Calls `listener` whenever the gateway may no longer hold what it was given, as another process has altered it or it was
   * restarted: then all forwards are to be applied again.
   */
  onAltered(listener: () => void): void;
  /** Releases timers and connections; forwards stay in force. */
  close(): Promise<void>;
}

export interface GatewayReport {
  ok: boolean;
  /** One line for people: what was found, or why it does not work. */
  summary: string;
}

export interface GatewayCapabilities {
  /**
   * Where forwards are made: by this node, by other nodes of the service, or by no gateway at all, so that the engine has to
   * make them if it can.
   */
  forwards: 'here' | 'elsewhere' | 'nowhere';
  /** Ports that this one may forward; it refuses others. */
  publicPorts: readonly PublicPorts[];
  /** Networks that it may forward to; it refuses others. */
  guestPrefixes: readonly string[];
}

/** The gateway cannot be reached, or could not do it; it may, later. */
export class GatewayUnavailableError extends Error {
  override name = 'GatewayUnavailableError';
}
