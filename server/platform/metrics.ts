import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { moneyMetrics } from './money-metrics.ts';

export type JobOutcome = 'succeeded' | 'failed' | 'canceled' | 'abandoned';

/** The content of a console's WebSocket; `share` is one viewer of a share link. */
export type ConsoleKind = 'vnc' | 'ssh' | 'ssh_raw' | 'share';

export type AttackMoment = 'started' | 'mitigated' | 'ended';

/** The service's metrics for Prometheus. Label values come from closed sets: never an id, never a path. */
export interface Metrics {
  /** A request was answered. `operation` is the endpoint's name, "none" for an unknown route. */
  requestAnswered(operation: string, status: number, seconds: number): void;
  rateLimited(policy: 'key' | 'account' | 'ip' | 'session'): void;
  /** A worker claimed a job `seconds` after it became due. */
  jobPickedUp(seconds: number): void;
  jobFinished(kind: string, outcome: JobOutcome): void;
  /** A job could be neither completed nor undone; it is retried later or abandoned. */
  jobAttemptFailed(kind: string): void;
  /** Jobs on all nodes that have failed and wait for their next attempt. */
  jobsStuck(count: number): void;
  /**
   * Numbers for the alarms about money, such as unpaid VMs that could not be switched off or deleted, and the age of
   * the oldest pending order.
   */
  moneyAlarms(alarms: {
    dunningFailing: number;
    oldestPendingSeconds: number;
    claims: number;
    unbooked: number;
    seriesAsked: boolean;
    heldDocuments: number;
  }): void;
  consoleOpened(kind: ConsoleKind): void;
  /** A console's WebSocket closed, for a `reason` from a closed set. */
  consoleClosed(kind: ConsoleKind, reason: string): void;
  /** A console relayed bytes: `in` towards the guest, `out` towards the caller. */
  consoleBytes(kind: ConsoleKind, direction: 'in' | 'out', bytes: number): void;
  /** The screen of a shared shell was drawn for viewers who joined or fell behind. */
  sharePictureDrawn(): void;
  shareResized(): void;
  /** Some node audited the books at that time. */
  audited(at: Date, findings: number): void;
  agentRunsActive(count: number): void;
  agentRunEnded(reason: string): void;
  /** An agent command ended or was denied. */
  agentCommand(risk: string, outcome: string): void;
  /** A task of the service failed; it is retried in its next round. */
  taskFailed(task: string): void;
  /** The database aborted a statement or a transaction because of other sessions; it is retried. */
  databaseConflict(conflict: string): void;
  /** Guests without a VM, VMs without a guest, and guests that cannot be seen. */
  guestsAmiss(counts: Record<'orphan' | 'missing' | 'unseen', number>): void;
  /** The mail server accepted a mail, or delivery was given up. */
  mailEnded(outcome: 'sent' | 'failed'): void;
  attack(moment: AttackMoment): void;
  /** Packets of a guest were refused because they exceeded its limit. */
  packetsRefused(limit: 'connections' | 'packets', count: number): void;
  /** The engine's total capacity for guests, and how much of it is reserved. */
  capacity(amounts: { resource: string; total: number; reserved: number }[]): void;
  /** The usage of the file system of the data directory or of the guests' disks, from 0 to 1. */
  diskUsed(what: 'data' | 'pool', used: number): void;
  /** Media type of `text`. */
  readonly contentType: string;
  /** Returns all metrics in Prometheus' text format. */
  text(): Promise<string>;
}

/** Up to 30 seconds, which is how long a poll may wait. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** From a few milliseconds for a notification to the delays of a queue that has backed up. */
const PICKUP_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30, 120];

/** Creates metrics with their own registry, so that several services can run in one process (tests do). */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'vauban_http_request_duration_seconds',
    help: 'Duration of requests, by operation and status',
    labelNames: ['operation', 'status'] as const,
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const refused = new Counter({
    name: 'vauban_rate_limited_total',
    help: 'Requests refused with 429, by policy',
    labelNames: ['policy'] as const,
    registers,
  });
  const pickups = new Histogram({
    name: 'vauban_job_pickup_seconds',
    help: 'Time between a job being due and a worker starting it',
    buckets: PICKUP_BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: 'vauban_task_failures_total',
    help: 'Failed rounds of background tasks, by task',
    labelNames: ['task'] as const,
    registers,
  });
  const conflicts = new Counter({
    name: 'vauban_database_conflicts_total',
    help: 'Deadlocks, serialization failures and outdated statements, after which the transaction is retried',
    labelNames: ['conflict'] as const,
    registers,
  });
  const disks = new Gauge({
    name: 'vauban_disk_used_ratio',
    help: "Used share of the file systems of the data directory (data) and of the guests' disks (pool)",
    labelNames: ['what'] as const,
    registers,
  });
  const mails = new Counter({
    name: 'vauban_mails_total',
    help: 'Mails sent to people, and mails given up after all attempts',
    labelNames: ['outcome'] as const,
    registers,
  });
  const attacks = new Counter({
    name: 'vauban_attacks_total',
    help: 'Attacks on protected addresses: started, mitigated and ended',
    labelNames: ['moment'] as const,
    registers,
  });
  const consoles = consoleMetrics(registers);
  new Gauge({
    name: 'vauban_build_info',
    help: 'Always 1; the labels show what is running',
    labelNames: ['version', 'node'] as const,
    registers,
  }).set({ version, node: process.version }, 1);

  return {
    requestAnswered: (operation, status, seconds) => requests.observe({ operation, status }, seconds),
    rateLimited: (policy) => refused.inc({ policy }),
    jobPickedUp: (seconds) => pickups.observe(seconds),
    taskFailed: (task) => failures.inc({ task }),
    diskUsed: (what, used) => disks.set({ what }, used),
    databaseConflict: (conflict) => conflicts.inc({ conflict }),
    attack: (moment) => attacks.inc({ moment }),
    mailEnded: (outcome) => mails.inc({ outcome }),
    ...guestMetrics(registers),
    ...jobMetrics(registers),
    ...moneyMetrics(registers),
    ...consoles,
    ...agentMetrics(registers),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

type GuestMetrics = Pick<Metrics, 'guestsAmiss' | 'packetsRefused' | 'capacity'>;

function guestMetrics(registers: Registry[]): GuestMetrics {
  const amiss = new Gauge({
    name: 'vauban_guests_amiss',
    help: 'Guests without a VM (orphan), VMs without a guest (missing), and guests whose state is unknown (unseen)',
    labelNames: ['how'] as const,
    registers,
  });
  const packets = new Counter({
    name: 'vauban_guest_packets_refused_total',
    help: 'Packets of guests dropped because of the limits on connections and on packets per second',
    labelNames: ['limit'] as const,
    registers,
  });
  const capacity = new Gauge({
    name: 'vauban_capacity',
    help: 'Resources of the engine for all guests (total) and the part that is sold (reserved): CPUs, cores, MB and GB',
    labelNames: ['resource', 'amount'] as const,
    registers,
  });
  return {
    guestsAmiss: (counts) => {
      for (const [how, count] of Object.entries(counts)) amiss.set({ how }, count);
    },
    packetsRefused: (limit, count) => packets.inc({ limit }, count),
    capacity(amounts) {
      for (const { resource, total, reserved } of amounts) {
        capacity.set({ resource, amount: 'total' }, total);
        capacity.set({ resource, amount: 'reserved' }, reserved);
      }
    },
  };
}

type JobMetrics = Pick<Metrics, 'jobFinished' | 'jobAttemptFailed' | 'jobsStuck'>;

function jobMetrics(registers: Registry[]): JobMetrics {
  const jobs = new Counter({
    name: 'vauban_jobs_total',
    help: 'Jobs that ended, by kind and outcome',
    labelNames: ['kind', 'outcome'] as const,
    registers,
  });
  const attempts = new Counter({
    name: 'vauban_job_attempts_failed_total',
    help: 'Times that a job could neither continue nor be undone, by kind',
    labelNames: ['kind'] as const,
    registers,
  });
  const stuck = new Gauge({
    name: 'vauban_jobs_stuck',
    help: 'Jobs of all nodes that have failed and wait for their next attempt',
    registers,
  });
  return {
    jobFinished: (kind, outcome) => jobs.inc({ kind, outcome }),
    jobAttemptFailed: (kind) => attempts.inc({ kind }),
    jobsStuck: (count) => stuck.set(count),
  };
}

type ConsoleMetrics = Pick<
  Metrics,
  'consoleOpened' | 'consoleClosed' | 'consoleBytes' | 'sharePictureDrawn' | 'shareResized'
>;

function consoleMetrics(registers: Registry[]): ConsoleMetrics {
  const open = new Gauge({
    name: 'vauban_console_sessions',
    help: 'Open console WebSockets, by content',
    labelNames: ['kind'] as const,
    registers,
  });
  const closed = new Counter({
    name: 'vauban_console_sessions_closed_total',
    help: 'Closed console WebSockets, by content and reason',
    labelNames: ['kind', 'reason'] as const,
    registers,
  });
  const bytes = new Counter({
    name: 'vauban_console_bytes_total',
    help: 'Bytes relayed by consoles: in towards the guest, out towards the caller',
    labelNames: ['kind', 'direction'] as const,
    registers,
  });
  const pictures = new Counter({
    name: 'vauban_share_pictures_total',
    help: 'Redraws of a shared shell for viewers who joined or fell behind',
    registers,
  });
  const resizes = new Counter({
    name: 'vauban_share_resizes_total',
    help: 'Size changes of shared shells',
    registers,
  });
  return {
    sharePictureDrawn: () => pictures.inc(),
    shareResized: () => resizes.inc(),
    consoleOpened: (kind) => open.inc({ kind }),
    consoleClosed: (kind, reason) => {
      open.dec({ kind });
      closed.inc({ kind, reason });
    },
    consoleBytes: (kind, direction, count) => bytes.inc({ kind, direction }, count),
  };
}

type AgentMetrics = Pick<Metrics, 'agentRunsActive' | 'agentRunEnded' | 'agentCommand'>;

function agentMetrics(registers: Registry[]): AgentMetrics {
  const active = new Gauge({
    name: 'vauban_agent_runs',
    help: 'Active runs of the AI agent',
    registers,
  });
  const ended = new Counter({
    name: 'vauban_agent_runs_ended_total',
    help: 'Ended streams of the AI agent, by reason',
    labelNames: ['reason'] as const,
    registers,
  });
  const commands = new Counter({
    name: 'vauban_agent_commands_total',
    help: 'Commands of the AI agent, by risk and outcome',
    labelNames: ['risk', 'outcome'] as const,
    registers,
  });
  return {
    agentRunsActive: (count) => active.set(count),
    agentRunEnded: (reason) => ended.inc({ reason }),
    agentCommand: (risk, outcome) => commands.inc({ risk, outcome }),
  };
}
