// The privileged side of the DDoS edge: makes the rules of nftables that drop and count, so that the process that speaks
// HTTP needs no privilege. It needs CAP_NET_ADMIN and nothing else. See docs/operating-the-edge.md and deploy/systemd.
//   node server/edged.ts --config FILE --socket PATH
import { parseArgs } from 'node:util';
import { type EdgeAllowance, loadEdgeAllowance } from './edge/nftables/helper/allowance.ts';
import { Alterations } from './edge/nftables/helper/alterations.ts';
import { FREQUENT, perform } from './edge/nftables/helper/operations.ts';
import { NftablesEdge } from './edge/nftables/nftables.ts';
import { systemClock as clock } from './platform/clock.ts';
import { ConfigError } from './platform/config-error.ts';
import { serveHelper } from './platform/helper/serve.ts';
import { createLogger } from './platform/logging.ts';

const EXIT_USAGE = 64;
/** As the service's: a start with the same configuration fails again. */
const EXIT_CONFIG = 78;

const text = { type: 'string' } as const;
const { config, socket } = parseArgs({ options: { config: text, socket: text } }).values;
if (!config || !socket) {
  process.stderr.write('usage: edged.ts --config FILE --socket PATH\n');
  process.exit(EXIT_USAGE);
}

const logger = createLogger({ logLevel: 'info' });
const { devices, protected_prefixes: prefixes, syn_proxy: synProxy } = readAllowance(config);
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

/** Whom an operation is about; unchecked, so cut short. */
function idOf(given: unknown): string | undefined {
  const { id, target } = Object(given);
  const found = id ?? Object(target).id;
  return typeof found === 'string' ? found.slice(0, 64) : undefined;
}

function readAllowance(path: string): EdgeAllowance {
  try {
    return loadEdgeAllowance(path);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message} (see deploy/systemd/vauban-edge.yaml)\n`);
    process.exit(EXIT_CONFIG);
  }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close();
    // What is under way ends first; the rules stay in force.
    edge.close().then(() => process.exit(0));
  });
}
