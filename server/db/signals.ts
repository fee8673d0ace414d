import { type Database, notify, type Queryable } from './database.ts';

const VM_CHANGED = 'vm_changed';
const JOB_CANCELED = 'job_canceled';
const ACCESS_ENDED = 'access_ended';
const FORWARDS_CHANGED = 'forwards_changed';
/** Sent by database triggers, see migration 0029. */
const ACCOUNT_CHANGED = 'account_changed';

/**
 * Hints between requests, jobs and nodes, sent by NOTIFY at commit. A lost hint costs time, never correctness: waiters
 * also check on their own.
 */
export class Signals {
  readonly #waiters = new Map<string, Set<() => void>>();
  readonly #onCancel = new Set<(jobId: string) => void>();
  readonly #onVmChange = new Set<(vmId: string) => void>();
  readonly #onAccessEnd = new Set<(id: string) => void>();
  readonly #onForwardsChange = new Set<() => void>();
  readonly #onAccountChange = new Set<(accountId: string, what: string) => void>();
  #stops: (() => Promise<void>)[] = [];

  async start(db: Database): Promise<void> {
    this.#stops = [
      await db.listen(
        VM_CHANGED,
        (vmId) => {
          this.wake(vmId);
          for (const listener of this.#onVmChange) listener(vmId);
        },
        // Hints may have been lost, so all waiters check again.
        () => this.#wakeAll(),
      ),
      await db.listen(JOB_CANCELED, (jobId) => {
        for (const listener of this.#onCancel) listener(jobId);
      }),
      await db.listen(ACCESS_ENDED, (id) => {
        this.wake(id);
        for (const listener of this.#onAccessEnd) listener(id);
      }),
      await db.listen(FORWARDS_CHANGED, () => {
        for (const listener of this.#onForwardsChange) listener();
      }),
      await db.listen(ACCOUNT_CHANGED, (payload) => {
        const [accountId = '', what = ''] = payload.split(' ');
        for (const listener of this.#onAccountChange) listener(accountId, what);
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) await stop();
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const id of [...this.#waiters.keys()]) this.wake(id);
  }

  /** Notifies every node on commit that a VM's job or state has changed. */
  vmChanged(tx: Queryable, vmId: string): Promise<void> {
    return notify(tx, VM_CHANGED, vmId);
  }

  /** Notifies the node that runs a job on commit, so that it releases the job. */
  jobCanceled(tx: Queryable, jobId: string): Promise<void> {
    return notify(tx, JOB_CANCELED, jobId);
  }

  /**
   * Notifies every node on commit that an API key, session or share link is no longer valid, or that a person has lost
   * rights.
   */
  accessEnded(tx: Queryable, id: string): Promise<void> {
    return notify(tx, ACCESS_ENDED, id);
  }

  /** Notifies every node on commit that the port forwards for gateways have changed. */
  forwardsChanged(tx: Queryable): Promise<void> {
    return notify(tx, FORWARDS_CHANGED, '');
  }

  onForwardsChanged(listener: () => void): void {
    this.#onForwardsChange.add(listener);
  }

  onVmChanged(listener: (vmId: string) => void): void {
    this.#onVmChange.add(listener);
  }

  onAccessEnded(listener: (id: string) => void): void {
    this.#onAccessEnd.add(listener);
  }

  /** `what` names the part of the account that has changed, such as "wallet". */
  onAccountChanged(listener: (accountId: string, what: string) => void): void {
    this.#onAccountChange.add(listener);
  }

  onJobCanceled(listener: (jobId: string) => void): void {
    this.#onCancel.add(listener);
  }

  /**
   * Resolves at the next change of a VM, at the end of a key or share, or when `until` aborts; the wait leaves nothing
   * behind. Call it before reading the state, or a change in between is missed.
   */
  nextChange(id: string, until: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? new Set();
      const done = () => {
        waiters.delete(done);
        if (waiters.size === 0) this.#waiters.delete(id);
        until.removeEventListener('abort', done);
        resolve();
      };
      if (until.aborted) return resolve();
      waiters.add(done);
      this.#waiters.set(id, waiters);
      until.addEventListener('abort', done);
    });
  }

  wake(id: string): void {
    for (const done of [...(this.#waiters.get(id) ?? [])]) done();
  }
}
