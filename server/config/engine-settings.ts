import * as kind from './setting-kinds.ts';
import type { Setting } from './settings.ts';

const ACCELERATOR_CHOICES = ['auto', 'kvm', 'tcg'] as const;
const QEMU_NETWORK_CHOICES = ['auto', 'user', 'routed'] as const;
const WARM_CHOICES = ['off', 'on'] as const;
const MAX_BOOT_SECONDS = 3_600;
/** A host handles a hundred idle guests per CPU well; beyond that, busy ones would hardly make progress. */
const MAX_OVERCOMMIT = 128;
/** 64 TB of memory, an exabyte of disks: more than any host has. */
const MAX_MEMORY_MB = 64 * 1_024 * 1_024;
const MAX_DISK_GB = 1_000_000_000;

/** Settings of the engines; each reads its own. */
export const ENGINE_SETTINGS = {
  qemuAccel: {
    env: 'VAUBAN_QEMU_ACCEL',
    kind: kind.oneOf(ACCELERATOR_CHOICES),
    default: 'auto',
    about:
      'The accelerator for guests; `auto` uses KVM if the processor supports it, and otherwise TCG, which is slow.',
  },
  qemuNetwork: {
    env: 'VAUBAN_QEMU_NETWORK',
    kind: kind.oneOf(QEMU_NETWORK_CHOICES),
    default: 'auto',
    about:
      'The network of guests: `routed` is for tenants; `user` needs no privileges and is for development only. ' +
      '`auto` is `routed` if there is a host helper.',
  },
  qemuUplink: {
    env: 'VAUBAN_QEMU_UPLINK',
    kind: kind.word,
    about: 'Outgoing interface of a host that routes; defaults to that of the default route.',
  },
  hostHelper: {
    env: 'VAUBAN_HOST_HELPER',
    kind: kind.path,
    about:
      'Socket of the host helper, which performs privileged operations; if absent, the service must be root to route.',
  },
  qemuNameservers: {
    env: 'VAUBAN_QEMU_NAMESERVERS',
    kind: kind.addresses,
    default: '9.9.9.9, 1.1.1.1',
    about: 'DNS resolvers for new guests.',
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
    about: 'Memory of all guests together; defaults to that of the host minus 1024 MB.',
  },
  qemuDiskGb: {
    env: 'VAUBAN_QEMU_DISK_GB',
    kind: kind.integer(1, MAX_DISK_GB),
    about:
      'Disks of all guests together; defaults to nine tenths of their file system, minus other data on it.',
  },
  poolDir: {
    env: 'VAUBAN_POOL_DIR',
    kind: kind.path,
    about:
      "Directory of guests' disks and warm templates, preferably on its own file system; defaults to the data directory. A host helper needs the same in its `--pool`.",
  },
  poolReserveMb: {
    env: 'VAUBAN_POOL_RESERVE_MB',
    kind: kind.integer(0, MAX_MEMORY_MB),
    default: '1024',
    about:
      'Space that guests leave free for the database and everything else in the data directory, if both are on one file ' +
      'system: with less, nothing new is created, and guests that write are paused.',
  },
  qemuDedicatedCpus: {
    env: 'VAUBAN_QEMU_DEDICATED_CPUS',
    kind: kind.cpus,
    about:
      'CPUs reserved for VMs of dedicated plans, such as `2-7`; other guests run on the rest. Without them, such plans are not available. See docs/qemu.md.',
  },
  qemuWarm: {
    env: 'VAUBAN_QEMU_WARM',
    kind: kind.oneOf(WARM_CHOICES),
    default: 'off',
    about:
      '`on` starts new guests from a guest that has already booted, if their image supports it, so that they are ready within a second. ' +
      'See docs/qemu.md first.',
  },
  incusEndpoints: {
    env: 'VAUBAN_INCUS_ENDPOINTS',
    kind: kind.words,
    about:
      'Addresses of members of the Incus cluster, such as `https://10.0.0.1:8443`; name several, so that one can be down. See ' +
      'docs/incus.md.',
  },
  incusCertificate: {
    env: 'VAUBAN_INCUS_CERTIFICATE',
    kind: kind.path,
    about: 'File of the client certificate of this service, which the cluster trusts.',
  },
  incusKey: {
    env: 'VAUBAN_INCUS_KEY',
    kind: kind.path,
    about: "File of that certificate's private key.",
  },
  incusServerCertificate: {
    env: 'VAUBAN_INCUS_SERVER_CERTIFICATE',
    kind: kind.path,
    about:
      "File of the cluster's own certificate (`cluster.crt`), the only one that is then trusted; defaults to the system's trusted certificates.",
  },
  incusProject: {
    env: 'VAUBAN_INCUS_PROJECT',
    kind: kind.word,
    default: 'default',
    about: 'Project of the cluster that guests are in.',
  },
  incusNetwork: {
    env: 'VAUBAN_INCUS_NETWORK',
    kind: kind.word,
    about: 'Bridge of Incus that guests are connected to.',
  },
  incusServiceNetworks: {
    env: 'VAUBAN_INCUS_SERVICE_NETWORKS',
    kind: kind.networks,
    about:
      'Addresses of the nodes of this service as seen by guests: TCP from them always passes the firewall of guests, because the service checks whether guests are ready and logs in to them.',
  },
  incusPool: {
    env: 'VAUBAN_INCUS_POOL',
    kind: kind.word,
    default: 'default',
    about: "Storage pool of the guests' disks.",
  },
  incusCpuOvercommit: {
    env: 'VAUBAN_INCUS_CPU_OVERCOMMIT',
    kind: kind.integer(1, MAX_OVERCOMMIT),
    default: '4',
    about: 'Virtual CPUs sold for each CPU of a member of the cluster.',
  },
  simulatorBootSeconds: {
    env: 'VAUBAN_SIMULATOR_BOOT_SECONDS',
    kind: kind.seconds(0, MAX_BOOT_SECONDS),
    default: '2',
    about: 'Boot time of a simulated guest.',
  },
  simulatorMemoryMb: {
    env: 'VAUBAN_SIMULATOR_MEMORY_MB',
    kind: kind.integer(1, MAX_MEMORY_MB),
    about: 'Memory of all guests of a simulated host together; no limit by default.',
  },
  simulatorDiskGb: {
    env: 'VAUBAN_SIMULATOR_DISK_GB',
    kind: kind.integer(1, MAX_DISK_GB),
    about: 'Disks of all guests of a simulated host together; no limit by default.',
  },
  simulatorHosts: {
    env: 'VAUBAN_SIMULATOR_HOSTS',
    kind: kind.words,
    default: 'simulator',
    about:
      'Names of simulated hosts, each optionally with `@` and its only zone, such as ' +
      '`a1@eu-central-a, a2@eu-central-a`. Guests stay on their host: a host that is no longer named is lost.',
  },
  simulatorTemplates: {
    env: 'VAUBAN_SIMULATOR_TEMPLATES',
    kind: kind.words,
    about: 'Templates of the catalog that have a simulated image; all by default.',
  },
} as const satisfies Record<string, Setting>;
