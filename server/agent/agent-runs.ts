import type { Readable } from 'node:stream';
import type { ComputeDriver } from '../compute/driver.ts';
import type { Config } from '../config/config.ts';
import { remoteModel } from '../config/model-settings.ts';
import type { Database } from '../db/database.ts';
import { isInForce } from '../db/queries/access/principals.ts';
import type { AgentRunRow, FinalReason } from '../db/queries/vms/agent-runs.ts';
import { systemFindVm, type VmRow } from '../db/queries/vms/vms.ts';
import type { Signals } from '../db/signals.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import { openOpsSession } from '../guest-ssh/connect.ts';
import type { OpsKeys } from '../guest-ssh/ops-keys.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import { EventStream } from './event-stream.ts';
import { RUN_TIMEOUT_MS, RUNS_A_NODE, STOP_GRACE_MS } from './limits.ts';
import { type AgentModel, ModelError, type ModelIdentity, RUNBOOK } from './model.ts';
import type { ApprovalDecision } from './run.ts';
import { type RunActor, RunRecord } from './run-record.ts';
import { canceled, Stop } from './stop.ts';

export interface AgentServices {
  catalog: Catalog;
  clock: Clock;
  compute: ComputeDriver;
  config: Config;
  db: Database;
  logger: Logger;
  metrics: Metrics;
  opsKeys: OpsKeys;
  signals: Signals;
}

/** Interval of the checks for lost permission that no signal announced. */
const LOOK_MS = 2_000;

interface Running {
  halt: AbortController;
  kill: AbortController;
  done: Promise<void>;
}

interface Executed {
  run: AgentRunRow;
  vm: VmRow;
  actor: RunActor;
  decision: ApprovalDecision | undefined;
  stream: EventStream;
  halt: AbortController;
  kill: AbortController;
}

export class AgentRuns {
  readonly #services: AgentServices;
  readonly #running = new Map<string, Running>();
  #leftOpen = new Set<string>();
  #model: Promise<AgentModel> | undefined;
  #stopping = false;
  /** The node recorded as the owner of these runs; zero is never a living node. */
  node = 0n;

  constructor(services: AgentServices) {
    this.#services = services;
  }

  /** Returns the model that the runs use. */
  get identity(): ModelIdentity {
    const remote = remoteModel(this.#services.config);
    return remote ? { provider: remote.provider, name: remote.model } : RUNBOOK;
  }

  /** Throws `agent_unavailable` if this node cannot take another run. */
  requireRoom(): void {
    if (!this.#stopping && this.#running.size < RUNS_A_NODE) return;
    throw new ApiError('agent_unavailable', 'The agent is busy. Try again in a moment.', {
      retry_after_seconds: 10,
    });
  }

  /** Starts or resumes a run that the database records as running on this node. Returns the stream for its client. */
  begin(run: AgentRunRow, vm: VmRow, actor: RunActor, decision?: ApprovalDecision): Readable {
    const stream = new EventStream(this.#services.clock);
    const halt = new AbortController();
    const kill = new AbortController();
    stream.closed.addEventListener('abort', () => halt.abort(new Stop('canceled')), { once: true });
    if (this.#stopping) halt.abort(SERVICE_STOPS());
    const done = this.#execute({ run, vm, actor, decision, stream, halt, kill })
      .catch((error) => {
        this.#services.logger.error({ err: error, run_id: run.id }, 'agent run failed');
        stream.end();
      })
      .then(() => {
        this.#running.delete(run.id);
        this.#services.metrics.agentRunsActive(this.#running.size);
      });
    this.#running.set(run.id, { halt, kill, done });
    this.#services.metrics.agentRunsActive(this.#running.size);
    return stream.readable;
  }

  /** Ends all runs: no further step begins, and commands in progress have a moment to finish. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const running = [...this.#running.values()];
    for (const { halt } of running) halt.abort(SERVICE_STOPS());
    const done = Promise.all(running.map((one) => one.done));
    const waited = new AbortController();
    await Promise.race([done, this.#services.clock.sleep(STOP_GRACE_MS, waited.signal).catch(() => {})]);
    waited.abort();
    for (const { kill } of running) kill.abort(SERVICE_STOPS());
    await done;
  }

  /**
   * Returns this node's open runs that it was not executing at the last call or now: their end could not be recorded.
   * Two calls are needed because a run is recorded a moment before it starts.
   */
  leftOpen(ids: string[]): Set<string> {
    const before = this.#leftOpen;
    this.#leftOpen = new Set(ids.filter((id) => !this.#running.has(id)));
    return new Set(ids.filter((id) => before.has(id) && this.#leftOpen.has(id)));
  }

  async #execute(one: Executed): Promise<void> {
    const { clock, metrics } = this.#services;
    const { run, kill } = one;
    const over = new AbortController();
    const deadline = clock.sleep(RUN_TIMEOUT_MS, over.signal).then(
      () => kill.abort(new Stop('timeout', RUN_TOO_LONG)),
      () => {},
    );
    const check = () => this.#check(run, one.actor);
    const watch = this.#watch(run, check, kill, over.signal);
    try {
      const reason = await (await this.#compose(one, check)).execute(one.decision);
      metrics.agentRunEnded(reason satisfies FinalReason | 'awaiting_approval');
    } finally {
      // Also if the end could not be recorded: reapOrphanedRuns then cleans up.
      over.abort();
      await Promise.all([deadline, watch]);
    }
  }

  async #compose({ run, vm, actor, stream, halt, kill }: Executed, check: () => Promise<void>) {
    const { clock, db, metrics } = this.#services;
    const { AgentRun } = await import('./run.ts');
    return new AgentRun({
      clock,
      record: new RunRecord(db, clock, run, actor),
      stream,
      model: await this.#getModel(),
      connect: (signal) => this.#logIn(run, vm, signal),
      check,
      halt: halt.signal,
      kill: kill.signal,
      counted: (risk, outcome) => metrics.agentCommand(risk, outcome),
    });
  }

  /** The customer only learns that the login failed; the reason is for the operator. */
  async #logIn(run: AgentRunRow, vm: VmRow, signal: AbortSignal) {
    try {
      return await openOpsSession(this.#services, vm, signal);
    } catch (error) {
      if (!signal.aborted)
        this.#services.logger.warn({ err: error, run_id: run.id }, 'agent could not log in');
      throw error;
    }
  }

  /** Throws if the VM or the key no longer permits the run. */
  async #check(run: AgentRunRow, actor: RunActor): Promise<void> {
    const { db, clock } = this.#services;
    const vm = await systemFindVm(db, run.vm_id);
    if (!vm || vm.deleted_at || vm.status !== 'running')
      throw canceled('vm_not_running', 'The VM is no longer running.');
    if (!(await isInForce(db, { id: actor.principal.id, accountId: actor.accountId }, clock.now())))
      throw canceled('key_revoked', 'The person or key that started this run may no longer continue it.');
  }

  /** Ends the run as soon as {@link #check} fails. */
  async #watch(
    run: AgentRunRow,
    check: () => Promise<void>,
    kill: AbortController,
    over: AbortSignal,
  ): Promise<void> {
    const { signals, clock, logger } = this.#services;
    while (!over.aborted && !kill.signal.aborted) {
      const pause = new AbortController();
      const until = AbortSignal.any([over, kill.signal, pause.signal]);
      clock.sleep(LOOK_MS, until).then(
        () => pause.abort(),
        () => {},
      );
      await Promise.race([run.vm_id, run.principal_id].map((id) => signals.nextChange(id, until)));
      pause.abort();
      if (over.aborted) return;
      await check().catch((error) => {
        if (error instanceof Stop) kill.abort(error);
        else logger.error({ err: error, run_id: run.id }, 'agent run not checked');
      });
    }
  }

  /** Loaded by the first run, so that start-up does not spend time and memory on it. */
  #getModel(): Promise<AgentModel> {
    this.#model ??= loadModel(this.#services).catch((error) => {
      this.#services.logger.error({ err: error }, 'the model could not be loaded');
      const failure = new ModelError('model_unavailable', 'The model could not be loaded.', false);
      return { identity: this.identity, turn: () => Promise.reject(failure) };
    });
    return this.#model;
  }
}

async function loadModel({ config, clock }: AgentServices): Promise<AgentModel> {
  const remote = remoteModel(config);
  if (!remote) return new (await import('./runbook/runbook-model.ts')).RunbookModel();
  return new (await import('./sdk-model.ts')).SdkModel(remote, clock);
}

const SERVICE_STOPS = () => canceled('service_stopping', 'The service is being restarted.', true);
const RUN_TOO_LONG = {
  code: 'run_timeout',
  message: `The run took longer than ${RUN_TIMEOUT_MS / 60_000} minutes.`,
  retryable: false,
};
