import type { Readable } from 'node:stream';
import type { Database } from '../../db/database.ts';
import { isInAccount } from '../../db/queries/access/sessions.ts';
import { systemAccountOfVm } from '../../db/queries/vms/vms.ts';
import type { Signals } from '../../db/signals.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logging.ts';
import { CHANGE_KINDS, type ChangeKind, ChangeStream } from './change-stream.ts';

/** Streams per session, one for each tab; a browser opens at most six connections. */
const STREAMS_PER_SESSION = 6;
/** Each stream holds a socket and a few kilobytes. */
const STREAMS_PER_NODE = 5_000;
/** Number of VMs whose account is cached; a VM's account never changes. */
const KNOWN_VMS = 10_000;

interface ChangeParts {
  clock: Clock;
  db: Database;
  logger: Logger;
  signals: Signals;
}

/** Notifies the open pages of this node about changes in their account, so that they read it again. */
export class Changes {
  readonly #parts: ChangeParts;
  readonly #streams = new Set<ChangeStream>();
  readonly #accountOf = new Map<string, string | undefined>();

  constructor(parts: ChangeParts) {
    this.#parts = parts;
    const { signals } = parts;
    signals.onVmChanged((vmId) => void this.#vmChanged(vmId));
    signals.onAccountChanged((accountId, what) => {
      const kind = CHANGE_KINDS.find((known) => known === what);
      if (kind) this.#tell(accountId, kind, null);
    });
    signals.onAccessEnded((id) => void this.#check([...this.#streams].filter((one) => one.sessionId === id)));
  }

  /** Opens a stream for one tab; refuses with 429 if the session or the node has too many. */
  open(whose: { accountId: string; sessionId: string }, hangUp: AbortSignal): Readable {
    const same = [...this.#streams].filter(({ sessionId }) => sessionId === whose.sessionId).length;
    if (same >= STREAMS_PER_SESSION || this.#streams.size >= STREAMS_PER_NODE) {
      throw new ApiError('rate_limit_exceeded', 'Too many pages are open.', {
        policy: 'streams',
        retry_after_seconds: 30,
      });
    }
    const stream = new ChangeStream(whose, hangUp);
    this.#streams.add(stream);
    stream.over.addEventListener('abort', () => this.#streams.delete(stream), { once: true });
    if (stream.over.aborted) this.#streams.delete(stream);
    void stream.keepOpen(this.#parts.clock, () => this.#check([stream]));
    return stream.readable;
  }

  #tell(accountId: string, kind: ChangeKind, id: string | null): void {
    for (const stream of this.#streams) if (stream.accountId === accountId) stream.tell({ kind, id });
  }

  async #vmChanged(vmId: string): Promise<void> {
    if (this.#streams.size === 0) return;
    try {
      if (!this.#accountOf.has(vmId)) {
        const accountId = await systemAccountOfVm(this.#parts.db, vmId);
        if (this.#accountOf.size >= KNOWN_VMS) this.#accountOf.delete(this.#accountOf.keys().next().value!);
        this.#accountOf.set(vmId, accountId);
      }
      const accountId = this.#accountOf.get(vmId);
      if (accountId !== undefined) this.#tell(accountId, 'vm', vmId);
    } catch (error) {
      // Only a lost hint: the page shows the state it last read.
      this.#parts.logger.warn({ err: error, vm_id: vmId }, 'change not told');
    }
  }

  /** Ends streams whose session has ended, or whose person is no longer a member. */
  async #check(streams: ChangeStream[]): Promise<void> {
    const { db, clock, logger } = this.#parts;
    for (const stream of streams) {
      try {
        if (!(await isInAccount(db, stream.sessionId, stream.accountId, clock.now()))) stream.end();
      } catch (error) {
        logger.warn({ err: error }, 'session of a stream not checked');
        stream.end();
      }
    }
  }
}
