import type { PortForwardEntry } from '../../compute/network-policy.ts';
import type { GatewayDriver } from '../../gateway/driver.ts';
import { ForwardShape } from '../../platform/public-ports.ts';
import { Type } from '../../platform/schema.ts';
import { closed, Nothing } from '../../platform/strict-shapes.ts';
import { closedList, type Handler } from '../closed-list.ts';

/** All ports of one address. Bounded so that one message cannot exhaust the process. */
const MAX_FORWARDS = 65_536;

/** Everything the helper can do, with the shapes of the arguments. */
export const OPERATIONS = {
  probe: Nothing,
  apply: Type.Object({ forwards: Type.Array(ForwardShape, { maxItems: MAX_FORWARDS }) }, closed),
  altered: Nothing,
};
export type Operation = keyof typeof OPERATIONS;

/** Requested constantly, so these get no log line each. */
export const FREQUENT: readonly Operation[] = ['altered'];

export interface GatewayHelperParts {
  gateway: GatewayDriver;
  /** Resolves to true when another process has altered what the gateway made, or to false after a while. */
  altered(): Promise<boolean>;
}

const HANDLERS: Record<Operation, Handler<GatewayHelperParts>> = {
  async probe({ gateway }) {
    const { publicPorts, guestPrefixes } = gateway.capabilities();
    return { ...(await gateway.probe()), publicPorts, guestPrefixes };
  },
  apply: ({ gateway }, { forwards }: { forwards: PortForwardEntry[] }) => gateway.applyForwards(forwards),
  altered: ({ altered }) => altered(),
};

/** Performs one operation. A forward that this host may not make is refused like an invalid argument. */
export const perform = closedList(OPERATIONS, HANDLERS);
