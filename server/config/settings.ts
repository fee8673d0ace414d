import { fileURLToPath } from 'node:url';
import { EDGE_SETTINGS } from './edge-settings.ts';
import { ENGINE_SETTINGS } from './engine-settings.ts';
import { GATEWAY_SETTINGS } from './gateway-settings.ts';
import { PANEL_SETTINGS } from './panel-settings.ts';
import * as kind from './setting-kinds.ts';

/** The single description of a setting: its names, kind, default and meaning all derive from it. */
export interface Setting {
  env: string;
  kind: kind.Kind<unknown>;
  /** As it would be written in the environment; without a default, the setting may be absent. */
  default?: string;
  /** The default as the reference states it, if it differs from machine to machine. */
  defaultText?: string;
  /** The value is never repeated in an error message. */
  secret?: true;
  about: string;
}

export const COMPUTE_CHOICES = ['auto', 'simulator', 'qemu', 'incus'] as const;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const SHIPPED_CATALOG = fileURLToPath(new URL('../../catalog.yaml', import.meta.url));
/** A higher limit would exceed what a node can serve in a minute. */
const MAX_REQUESTS_PER_MINUTE = 10_000_000;
/** Each running job takes a few kilobytes and now and then a database connection. */
const MAX_JOBS = 1_000;
/** Every setting of the service, by its name in `Config`. */
export const SETTINGS = {
  listen: {
    env: 'VAUBAN_LISTEN',
    kind: kind.listenAddress,
    default: '127.0.0.1:8080',
    about: 'Address of the API and the panel. Port 0 takes any free port.',
  },
  operatorListen: {
    env: 'VAUBAN_OPERATOR_LISTEN',
    kind: kind.listenAddress,
    about: 'Second address, for `/metrics` and health checks; keep it private.',
  },
  drainSeconds: {
    env: 'VAUBAN_DRAIN_SECONDS',
    kind: kind.seconds(0, 600),
    default: '0',
    about:
      'How long a node that is shutting down keeps serving while `/readyz` fails, so that a load balancer sends its requests ' +
      'elsewhere first: longer than that takes to notice. Requests that are then under way get ten seconds more.',
  },
  publicUrl: {
    env: 'VAUBAN_PUBLIC_URL',
    kind: kind.baseUrl,
    about:
      'Base address in the URLs handed out; when absent, the one that a request was sent to. Production needs it.',
  },
  trustProxy: {
    env: 'VAUBAN_TRUST_PROXY',
    kind: kind.networks,
    default: '',
    about: 'Proxies whose `X-Forwarded-For` is believed.',
  },
  consoleOrigins: {
    env: 'VAUBAN_CONSOLE_ORIGINS',
    kind: kind.origins,
    default: '',
    about:
      "Origins of other pages, such as a hoster's own panel, whose scripts may open consoles and share links.",
  },
  mode: {
    env: 'VAUBAN_MODE',
    kind: kind.oneOf(['development', 'production']),
    default: 'development',
    about:
      'In development, the first start creates a demo account with a key, and missing parts are simulated. In ' +
      'production neither is so: the start is refused, and says what it needs.',
  },
  dataDir: {
    env: 'VAUBAN_DATA_DIR',
    kind: kind.path,
    default: 'data',
    about:
      "Directory of everything the service keeps: the embedded database, the installation key, images, guests' disks.",
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    kind: kind.postgresUrl,
    secret: true,
    about:
      'PostgreSQL 15 or newer; when absent, the embedded database in the data directory. A server on this machine is quicker by its Unix socket: `postgres://vauban@%2Fvar%2Frun%2Fpostgresql/vauban`. Of several, `postgres://vauban@a:5432,b:5432,c:5432/vauban?target_session_attrs=read-write`, the one that takes writes is used, and after a failover another.',
  },
  secretKey: {
    env: 'VAUBAN_SECRET_KEY',
    kind: kind.keys256,
    secret: true,
    about:
      'Installation key, which seals the secrets in the database; with several the first seals, and each opens what it ' +
      'sealed (`vaubanctl secret rotate`). Nodes on one database need the same; when absent, a file in the data directory.',
  },
  secretKeyFile: {
    env: 'VAUBAN_SECRET_KEY_FILE',
    kind: kind.path,
    about:
      'The same from a file, one key a line, such as a systemd credential; keep it and the data directory in different backups.',
  },
  catalog: {
    env: 'VAUBAN_CATALOG',
    kind: kind.path,
    default: SHIPPED_CATALOG,
    defaultText: 'the `catalog.yaml` shipped',
    about: 'The catalog: plans, regions, images, prices, limits.',
  },
  compute: {
    env: 'VAUBAN_COMPUTE',
    kind: kind.oneOf(COMPUTE_CHOICES),
    default: 'auto',
    about:
      'Engine that runs the VMs; `auto` takes QEMU where it works and has an image of a template of the catalog, ' +
      'else the simulator, but never in production. VMs stay with the engine that made them.',
  },
  zones: {
    env: 'VAUBAN_ZONES',
    kind: kind.words,
    about:
      'Zones of the catalog in which VMs are made; no others are available. When absent, with QEMU the first zone of the ' +
      'default region, where this one host is taken to be; all with the simulator.',
  },
  ...EDGE_SETTINGS,
  ...GATEWAY_SETTINGS,
  ...ENGINE_SETTINGS,
  agentProvider: {
    env: 'VAUBAN_AGENT_PROVIDER',
    kind: kind.oneOf(['runbook', 'openai-compatible', 'anthropic']),
    default: 'runbook',
    about:
      'Model of the AI SSH agent: the built-in offline `runbook`, any OpenAI-compatible endpoint, or Anthropic.',
  },
  agentModel: {
    env: 'VAUBAN_AGENT_MODEL',
    kind: kind.word,
    about: 'Name of the model, such as `llama3.3:70b`.',
  },
  agentBaseUrl: {
    env: 'VAUBAN_AGENT_BASE_URL',
    kind: kind.baseUrl,
    about: 'Address of the model, such as `http://127.0.0.1:11434/v1`; for Anthropic its own when absent.',
  },
  agentApiKey: {
    env: 'VAUBAN_AGENT_API_KEY',
    kind: kind.word,
    secret: true,
    about: 'Key of the model; Anthropic needs one, an endpoint of your own may not.',
  },
  ...PANEL_SETTINGS,
  jobConcurrency: {
    env: 'VAUBAN_JOB_CONCURRENCY',
    kind: kind.integer(1, MAX_JOBS),
    default: '32',
    about:
      'Jobs that this node works on at the same time; those that wait for a guest to boot or to shut down not counted.',
  },
  rateLimitKey: {
    env: 'VAUBAN_RATE_LIMIT_KEY',
    kind: kind.integer(1, MAX_REQUESTS_PER_MINUTE),
    default: '120',
    about: 'Requests a minute for each API key.',
  },
  rateLimitAccount: {
    env: 'VAUBAN_RATE_LIMIT_ACCOUNT',
    kind: kind.integer(1, MAX_REQUESTS_PER_MINUTE),
    default: '300',
    about: 'Requests a minute for all keys of an account together.',
  },
  rateLimitIp: {
    env: 'VAUBAN_RATE_LIMIT_IP',
    kind: kind.integer(1, MAX_REQUESTS_PER_MINUTE),
    default: '300',
    about: 'Requests a minute without a valid key, for each IPv4 address or IPv6 /64, on each node.',
  },
  rateLimitOpen: {
    env: 'VAUBAN_RATE_LIMIT_OPEN',
    kind: kind.integer(1, MAX_REQUESTS_PER_MINUTE),
    // An office of fifty opens the panel at nine: some forty files each, while nothing is cached yet.
    default: '3000',
    about:
      'Requests a minute to pages and files that need no key (the documentation, the panel), for each IPv4 address or ' +
      'IPv6 /64, on each node.',
  },
  logLevel: {
    env: 'VAUBAN_LOG_LEVEL',
    kind: kind.oneOf(LOG_LEVELS),
    default: 'info',
    about: 'Least important lines that are logged.',
  },
} as const satisfies Record<string, Setting>;

/** Returns a setting's name in the configuration file: `VAUBAN_DATA_DIR` is `data_dir` there. */
export function fileKey(setting: Setting): string {
  return setting.env.replace(/^VAUBAN_/, '').toLowerCase();
}
