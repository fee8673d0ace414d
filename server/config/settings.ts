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
    about: 'Address of the API and the panel. Port 0 means any free port.',
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
      'How long a node that is shutting down keeps serving while `/readyz` fails, so that a load balancer sends its requests elsewhere first; choose more than the load balancer needs to notice. Requests still in progress then get ten more seconds.',
  },
  publicUrl: {
    env: 'VAUBAN_PUBLIC_URL',
    kind: kind.baseUrl,
    about:
      'Base address of the URLs in responses and mails; defaults to the address of the request. Required in production.',
  },
  trustProxy: {
    env: 'VAUBAN_TRUST_PROXY',
    kind: kind.networks,
    default: '',
    about: 'Proxies whose `X-Forwarded-For` is trusted.',
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
      'In development, the first start creates a demo account with a key, and missing parts are simulated. In production, the service refuses to start instead and says what is missing.',
  },
  dataDir: {
    env: 'VAUBAN_DATA_DIR',
    kind: kind.path,
    default: 'data',
    about:
      "Directory of all data of the service: the embedded database, the installation key, images, guests' disks.",
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    kind: kind.postgresUrl,
    secret: true,
    about:
      'PostgreSQL 15 or newer; defaults to the embedded database in the data directory. A server on this machine is faster over its Unix socket: `postgres://vauban@%2Fvar%2Frun%2Fpostgresql/vauban`. With several hosts, as in `postgres://vauban@a:5432,b:5432,c:5432/vauban?target_session_attrs=read-write`, the one that accepts writes is used, also after a failover.',
  },
  secretKey: {
    env: 'VAUBAN_SECRET_KEY',
    kind: kind.keys256,
    secret: true,
    about:
      'Installation key, which encrypts the secrets in the database; if there are several, the first encrypts, and each decrypts its own secrets (`vaubanctl secret rotate`). All nodes of a database need the same; defaults to a file in the data directory.',
  },
  secretKeyFile: {
    env: 'VAUBAN_SECRET_KEY_FILE',
    kind: kind.path,
    about:
      'The same from a file with one key per line, such as a systemd credential; keep it and the data directory in different backups.',
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
      'Engine that runs the VMs; `auto` uses QEMU if it works and has an image of a template in the catalog, and otherwise the simulator, but never in production. VMs stay on the engine that created them.',
  },
  zones: {
    env: 'VAUBAN_ZONES',
    kind: kind.words,
    about:
      'Zones of the catalog in which VMs are created; no others are available. Defaults to the first zone of the default region with QEMU, where this host is assumed to be, and to all zones with the simulator.',
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
    about: 'Address of the model, such as `http://127.0.0.1:11434/v1`; not needed for Anthropic.',
  },
  agentApiKey: {
    env: 'VAUBAN_AGENT_API_KEY',
    kind: kind.word,
    secret: true,
    about: 'API key of the model; required for Anthropic, optional for your own endpoint.',
  },
  ...PANEL_SETTINGS,
  jobConcurrency: {
    env: 'VAUBAN_JOB_CONCURRENCY',
    kind: kind.integer(1, MAX_JOBS),
    default: '32',
    about:
      'Jobs that this node works on at the same time, not counting those that wait for a guest to boot or shut down.',
  },
  rateLimitKey: {
    env: 'VAUBAN_RATE_LIMIT_KEY',
    kind: kind.integer(1, MAX_REQUESTS_PER_MINUTE),
    default: '120',
    about: 'Requests per minute for each API key.',
  },
  rateLimitAccount: {
    env: 'VAUBAN_RATE_LIMIT_ACCOUNT',
    kind: kind.integer(1, MAX_REQUESTS_PER_MINUTE),
    default: '300',
    about: 'Requests per minute for all keys of an account together.',
  },
  rateLimitIp: {
    env: 'VAUBAN_RATE_LIMIT_IP',
    kind: kind.integer(1, MAX_REQUESTS_PER_MINUTE),
    default: '300',
    about: 'Requests per minute without a valid key, for each IPv4 address or IPv6 /64, on each node.',
  },
  rateLimitOpen: {
    env: 'VAUBAN_RATE_LIMIT_OPEN',
    kind: kind.integer(1, MAX_REQUESTS_PER_MINUTE),
    // An office of fifty opens the panel at nine: some forty files each, while nothing is cached yet.
    default: '3000',
    about:
      'Requests per minute to pages and files that need no key (the documentation, the panel), for each IPv4 address or ' +
      'IPv6 /64, on each node.',
  },
  logLevel: {
    env: 'VAUBAN_LOG_LEVEL',
    kind: kind.oneOf(LOG_LEVELS),
    default: 'info',
    about: 'Minimum level of logged lines.',
  },
} as const satisfies Record<string, Setting>;

/** Returns a setting's name in the configuration file: `VAUBAN_DATA_DIR` is `data_dir` there. */
export function fileKey(setting: Setting): string {
  return setting.env.replace(/^VAUBAN_/, '').toLowerCase();
}
