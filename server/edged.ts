// The privileged side of the DDoS edge: manages the nftables rules that drop and count packets, so that the process
// that serves HTTP needs no privileges. It needs CAP_NET_ADMIN and nothing else. See docs/operating-the-edge.md and
// deploy/systemd.
//   node server/edged.ts --config FILE --socket PATH
import { parseArgs } from 'node:util';
import { loadEdgeAllowance } from './edge/nftables/helper/allowance.ts';
import { FREQUENT, perform } from './edge/nftables/helper/operations.ts';
import { NftablesEdge } from './edge/nftables/nftables.ts';
import { systemClock as clock } from './platform/clock.ts';
import { Alterations } from './platform/helper/alterations.ts';
import { allowanceOf, endOnSignal, exitUsage } from './platform/helper/process.ts';
import { serveHelper } from './platform/helper/serve.ts';
import { logLastWords } from './platform/last-words.ts';
import { createLogger } from './platform/logging.ts';

const text = { type: 'string' } as const;
const { config, socket } = parseArgs({ options: { config: text, socket: text } }).values;
if (!config || !socket) exitUsage('edged.ts --config FILE --socket PATH');

logLastWords();
const logger = createLogger({ logLevel: 'info' });
const allowance = allowanceOf(loadEdgeAllowance, config, 'deploy/systemd/vauban-edge.yaml');
const { devices, protected_prefixes: prefixes, syn_proxy: synProxy } = allowance;
const edge = new NftablesEdge({ devices, prefixes, synProxy, clock });
const alterations = new Alterations(clock);
edge.onAltered(() => {
  logger.warn('the tables of the edge were altered, or cannot be read');
  alterations.note();
});
logger.info(await edge.probe(), 'edge');
const parts = { edge, altered: () => alterations.altered() };
const server = await serveHelper((operation, given) => perform(parts, operation, given), {
  path: socket,
  clock,
  logger,
  about: (given) => ({ target: idOf(given) }),
  silent: FREQUENT,
});
logger.info({ socket }, 'listening');
// The rules stay in force.
endOnSignal(server, () => edge.close());

/** Returns the id of the target an operation is about. The value is not validated, so it is truncated for the log. */
function idOf(given: unknown): string | undefined {
  const { id, target } = Object(given);
  const found = id ?? Object(target).id;
  return typeof found === 'string' ? found.slice(0, 64) : undefined;
}
