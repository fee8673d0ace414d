import { fileURLToPath } from 'node:url';
import { ACCELERATOR_CHOICES } from './compute/qemu/host.ts';
import * as kind from './platform/setting-kinds.ts';

/** The one description of a setting: its names, its kind, its default and its meaning all follow from it. */
export interface Setting {
  env: string;
  kind: kind.Kind<unknown>;
  /** As it would be written in the environment; without one the setting may be absent. */
  default?: string;
  /** What the reference says of a default that differs from machine to machine. */
  defaultText?: string;
  /** Never repeated in an error message. */
  secret?: true;
  about: string;
}

export const COMPUTE_CHOICES = ['auto', 'simulator', 'qemu'] as const;
export const QEMU_NETWORK_CHOICES = ['auto', 'user', 'routed'] as const;
export const WARM_CHOICES = ['off', 'on'] as const;
export const EDGE_CHOICES = ['auto', 'simulator'] as const;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const SHIPPED_CATALOG = fileURLToPath(new URL('../catalog.yaml', import.meta.url));
/** Beyond it a limit no longer limits anything a node can serve in a minute. */
const MAX_REQUESTS_PER_MINUTE = 10_000_000;
/** Each running job holds a few kilobytes and now and then a database connection. */
const MAX_JOBS = 1_000;
const MAX_BOOT_SECONDS = 3_600;
/** Beyond it guests of one CPU each would hardly move. */
const MAX_OVERCOMMIT = 64;
/** 64 TB of memory, an exabyte of disks: no host has more. */
const MAX_MEMORY_MB = 64 * 1_024 * 1_024;
const MAX_DISK_GB = 1_000_000_000;

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
  publicUrl: {
    env: 'VAUBAN_PUBLIC_URL',
    kind: kind.baseUrl,
    about: 'Base address in the URLs handed out; when absent, the one that a request was sent to.',
  },
  trustProxy: {
    env: 'VAUBAN_TRUST_PROXY',
    kind: kind.networks,
    default: '',
    about: 'Proxies whose `X-Forwarded-For` is believed.',
  },
  mode: {
    env: 'VAUBAN_MODE',
    kind: kind.oneOf(['development', 'production']),
    default: 'development',
    about: 'In development the first start makes a demo account with a key; in production it does not.',
  },
  dataDir: {
    env: 'VAUBAN_DATA_DIR',
    kind: kind.path,
    default: 'data',
    about:
      "Directory of everything the service keeps: the embedded database, the installation key, guests' disks.",
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    kind: kind.postgresUrl,
    secret: true,
    about: 'PostgreSQL 15 or newer; when absent, the embedded database in the data directory.',
  },
  secretKey: {
    env: 'VAUBAN_SECRET_KEY',
    kind: kind.key256,
    secret: true,
    about:
      'Installation key. Several nodes on one database need the same; when absent, a file in the data directory.',
  },
  catalog: {
    env: 'VAUBAN_CATALOG',
    kind: kind.path,
    default: SHIPPED_CATALOG,
    defaultText: 'the `catalog.yaml` shipped',
    about: 'What is sold: plans, regions, images, prices, limits.',
  },
  compute: {
    env: 'VAUBAN_COMPUTE',
    kind: kind.oneOf(COMPUTE_CHOICES),
    default: 'auto',
    about:
      'Engine that runs the VMs; `auto` takes QEMU where it works and has an image of a template of the catalog.',
  },
  edge: {
    env: 'VAUBAN_EDGE',
    kind: kind.oneOf(EDGE_CHOICES),
    default: 'auto',
    about: 'DDoS edge in front of the protected addresses; `auto` takes the best that works on this machine.',
  },
  qemuAccel: {
    env: 'VAUBAN_QEMU_ACCEL',
    kind: kind.oneOf(ACCELERATOR_CHOICES),
    default: 'auto',
    about:
      "What runs the guests' instructions; `auto` takes KVM where the processor can, else TCG, which is slow.",
  },
  qemuNetwork: {
    env: 'VAUBAN_QEMU_NETWORK',
    kind: kind.oneOf(QEMU_NETWORK_CHOICES),
    default: 'auto',
    about:
      'How guests are connected: `routed` is for tenants; `user` needs no privileges and is for development only. ' +
      '`auto` is `routed` where there is a host helper.',
  },
  qemuUplink: {
    env: 'VAUBAN_QEMU_UPLINK',
    kind: kind.word,
    about: 'Interface that leads out of a host that routes; when absent, the one of the default route.',
  },
  hostHelper: {
    env: 'VAUBAN_HOST_HELPER',
    kind: kind.path,
    about:
      'Socket of the host helper, which does what needs privileges; when absent, the service must be root to route.',
  },
  qemuNameservers: {
    env: 'VAUBAN_QEMU_NAMESERVERS',
    kind: kind.addresses,
    default: '9.9.9.9, 1.1.1.1',
    about: 'Resolvers that new guests are given.',
  },
  qemuCpuOvercommit: {
    env: 'VAUBAN_QEMU_CPU_OVERCOMMIT',
    kind: kind.integer(1, MAX_OVERCOMMIT),
    default: '4',
    about: 'Virtual CPUs sold for each CPU of the host.',
  },
  qemuMemoryMb: {
    env: 'VAUBAN_QEMU_MEMORY_MB',
    kind: kind.integer(1, MAX_MEMORY_MB),
    about: "Memory of all guests together; when absent, the host's but 1024 MB.",
  },
  qemuDiskGb: {
    env: 'VAUBAN_QEMU_DISK_GB',
    kind: kind.integer(1, MAX_DISK_GB),
    about: 'Disks of all guests together; when absent, nine tenths of the file system that they are in.',
  },
  qemuWarm: {
    env: 'VAUBAN_QEMU_WARM',
    kind: kind.oneOf(WARM_CHOICES),
    default: 'off',
    about:
      'Whether new guests go on from a guest that has booted, where their image can: `on` makes them within a second. ' +
      'See docs/qemu.md first.',
  },
  simulatorBootSeconds: {
    env: 'VAUBAN_SIMULATOR_BOOT_SECONDS',
    kind: kind.seconds(0, MAX_BOOT_SECONDS),
    default: '2',
    about: 'How long a simulated guest takes to boot.',
  },
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
  jobConcurrency: {
    env: 'VAUBAN_JOB_CONCURRENCY',
    kind: kind.integer(1, MAX_JOBS),
    default: '32',
    about: 'Jobs that this node runs at the same time.',
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
    about: 'Requests a minute without a valid key, for each IPv4 address or IPv6 /64.',
  },
  logLevel: {
    env: 'VAUBAN_LOG_LEVEL',
    kind: kind.oneOf(LOG_LEVELS),
    default: 'info',
    about: 'Least important lines that are logged.',
  },
} as const satisfies Record<string, Setting>;

/** The name of a setting in the configuration file: `VAUBAN_DATA_DIR` is `data_dir` there. */
export function fileKey(setting: Setting): string {
  return setting.env.replace(/^VAUBAN_/, '').toLowerCase();
}
