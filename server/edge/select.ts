import type { Config } from '../config/config.ts';
import type { Clock } from '../platform/clock.ts';
import { ConfigError, UnavailableError } from '../platform/config-error.ts';
import type { Logger } from '../platform/logging.ts';
import type { EdgeDriver } from './driver.ts';
import type { FlowspecEdge } from './flowspec/flowspec.ts';
import { createNoEdge } from './off.ts';
import type { EdgeStore } from './simulator/store.ts';

export interface EdgeParts {
  clock: Clock;
  logger: Logger;
  /** Storage for the simulator's targets. */
  simulatorStore: EdgeStore;
  /** Counts the addresses that should be protected by an edge. */
  countProtected(): Promise<number>;
}

type EdgeConfig = Pick<
  Config,
  | 'edge'
  | 'edgeHelper'
  | 'edgeDevices'
  | 'edgePrefixes'
  | 'flowspecGobgp'
  | 'flowspecPrefixes'
  | 'flowspecMaxAnnouncements'
  | 'flowspecBlackholeCommunity'
  | 'flowsPipe'
  | 'flowsSeconds'
>;

/**
 * Returns the DDoS edge that the configuration names. An edge that does not work is not replaced by another: throws
 * {@link ConfigError}, or {@link UnavailableError} if it may recover. `auto`, which production does not accept, uses
 * nftables if it is configured and works. Also throws {@link ConfigError} if the edge is off although addresses
 * should be protected.
 */
export async function selectEdge(config: EdgeConfig, parts: EdgeParts): Promise<EdgeDriver> {
  const edge = await namedEdge(config, parts);
  const { flowsPipe: pipe, flowsSeconds: seconds } = config;
  if (pipe === undefined || edge.name === 'off') return edge;
  try {
    const { FlowSource } = await import('./flows/flow-source.ts');
    const { FlowWatchedEdge } = await import('./flows/watched-edge.ts');
    return new FlowWatchedEdge(edge, new FlowSource({ pipe, seconds, clock: parts.clock }));
  } catch (error) {
    await edge.close();
    throw error;
  }
}

async function namedEdge(config: EdgeConfig, parts: EdgeParts): Promise<EdgeDriver> {
  switch (config.edge) {
    case 'off':
      return noEdge(parts);
    case 'simulator':
      return simulator(parts);
    case 'nftables':
      return nftables(config, parts);
    case 'flowspec':
      return flowspec(config, parts);
    case 'nftables+flowspec':
      return layered(config, parts);
    case 'auto':
      return automatic(config, parts);
  }
}

async function automatic(config: EdgeConfig, parts: EdgeParts): Promise<EdgeDriver> {
  if (config.edgeHelper === undefined && config.edgeDevices === undefined) return simulator(parts);
  try {
    return await nftables(config, parts);
  } catch (error) {
    parts.logger.warn(
      { reason: (error as Error).message },
      'nftables is configured but does not work: the edge is simulated',
    );
    return simulator(parts);
  }
}

/** The simulator's code is loaded only if it is used. */
async function simulator({ clock, simulatorStore: store }: EdgeParts): Promise<EdgeDriver> {
  const { createEdgeSimulator } = await import('./simulator/simulator.ts');
  return createEdgeSimulator({ store, clock });
}

/** Returns the nftables edge of this host after checking that it works: its probe creates and deletes a table. */
async function nftables(config: EdgeConfig, parts: EdgeParts): Promise<EdgeDriver> {
  const edge = await (config.edgeHelper === undefined ? direct(config, parts) : helped(config.edgeHelper));
  const { ok, summary } = await edge.probe();
  if (ok) return edge;
  await edge.close();
  throw new ConfigError([`VAUBAN_EDGE: nftables does not work here: ${summary}`]);
}

/** Throws {@link UnavailableError} if the helper is down, because it may come back. */
async function helped(path: string): Promise<EdgeDriver> {
  const { EdgeClient } = await import('./nftables/client.ts');
  const client = new EdgeClient(path);
  try {
    await client.reachable();
    return client;
  } catch (error) {
    await client.close();
    throw new UnavailableError(`VAUBAN_EDGE_HELPER: ${(error as Error).message}; start vauban-edge.service`);
  }
}

async function direct(
  { edgeDevices, edgePrefixes }: EdgeConfig,
  { clock, logger }: EdgeParts,
): Promise<EdgeDriver> {
  const missing = [
    ...(edgeDevices
      ? []
      : ['VAUBAN_EDGE_DEVICES: nftables needs VAUBAN_EDGE_HELPER, or the interfaces to protect']),
    ...(edgePrefixes.length > 0
      ? []
      : ['VAUBAN_EDGE_PREFIXES: nftables needs VAUBAN_EDGE_HELPER, or the networks that may be protected']),
  ];
  if (missing.length > 0) throw new ConfigError(missing);
  const { NftablesEdge } = await import('./nftables/nftables.ts');
  return new NftablesEdge({ devices: edgeDevices!, prefixes: edgePrefixes, clock, logger });
}

/** Returns routers controlled through this host's GoBGP, which must answer and have routers as neighbours. */
async function flowspec(config: EdgeConfig, { clock }: EdgeParts): Promise<FlowspecEdge> {
  const { flowspecGobgp: gobgp, flowspecPrefixes: prefixes } = config;
  const missing = [
    ...(gobgp ? [] : [`VAUBAN_FLOWSPEC_GOBGP: ${config.edge} needs to know where GoBGP listens`]),
    ...(prefixes.length > 0
      ? []
      : [`VAUBAN_FLOWSPEC_PREFIXES: ${config.edge} needs the networks that rules may be announced for`]),
  ];
  if (missing.length > 0) throw new ConfigError(missing);
  const { FlowspecEdge } = await import('./flowspec/flowspec.ts');
  const { flowspecMaxAnnouncements: maxAnnouncements, flowspecBlackholeCommunity: blackholeCommunity } =
    config;
  const edge = new FlowspecEdge({ gobgp: gobgp!, prefixes, maxAnnouncements, blackholeCommunity, clock });
  try {
    await edge.reachable();
  } catch (error) {
    await edge.close();
    throw new UnavailableError(`VAUBAN_FLOWSPEC_GOBGP: ${(error as Error).message}; start gobgpd`);
  }
  const { ok, summary } = await edge.probe();
  if (ok) return edge;
  await edge.close();
  throw new ConfigError([`VAUBAN_EDGE: FlowSpec does not work here: ${summary}`]);
}

async function layered(config: EdgeConfig, parts: EdgeParts): Promise<EdgeDriver> {
  const local = await nftables(config, parts);
  try {
    const { LayeredEdge } = await import('./layered.ts');
    return new LayeredEdge({ local, routers: await flowspec(config, parts), ...parts });
  } catch (error) {
    await local.close();
    throw error;
  }
}

async function noEdge({ clock, countProtected }: EdgeParts): Promise<EdgeDriver> {
  const count = await countProtected();
  if (count === 0) return createNoEdge(clock);
  throw new ConfigError([
    `VAUBAN_EDGE: ${count} ${count === 1 ? 'address is' : 'addresses are'} protected; before off, start once more with ` +
      'the edge that has them and switch them off with vaubanctl target mode or remove',
  ]);
}
