import type { Database } from '../db/database.ts';
import { readConsoleAccess } from '../db/queries/vms/console-access.ts';
import { activeShares } from '../db/queries/vms/console-shares.ts';
import type { Signals } from '../db/signals.ts';
import { OPERATIONS } from '../domain/vms/states.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { CloseReason } from './close-reasons.ts';
import {
  CONNECT_MS,
  IDLE_MS,
  PING_MS,
  SESSIONS_PER_ACCOUNT,
  SESSIONS_PER_NODE,
  SESSIONS_PER_VM,
} from './limits.ts';
import type { ConsoleSession, Grant } from './session.ts';

interface RegistryServices {
  clock: Clock;
  db: Database;
  logger: Logger;
  metrics: Metrics;
  signals: Signals;
}

/**
 * Every open console of this node, and the conditions for it to continue: its VM is up, its key and share are valid,
 * and its client responds. Signals trigger immediate checks; {@link check} covers lost signals.
 */
export class ConsoleRegistry {
  readonly #services: RegistryServices;
  readonly #sessions = new Set<ConsoleSession>();
  #pingedAt: number;

  constructor(services: RegistryServices) {
    this.#services = services;
    this.#pingedAt = services.clock.now().getTime();
    const { signals } = services;
    signals.onVmChanged((id) => this.#lookAt((session) => session.grant.vm.id === id));
    signals.onAccessEnded((id) =>
      this.#lookAt(({ grant }) => grant.rightId === id || grant.share?.id === id),
    );
  }

  get sessions(): ReadonlySet<ConsoleSession> {
    return this.#sessions;
  }

  /** Returns true if one more session fits, regardless of whether it is allowed. */
  hasRoom({ accountId, vm }: Grant): boolean {
    let ofAccount = 0;
    let ofVm = 0;
    for (const { grant } of this.#sessions) {
      if (grant.accountId === accountId) ofAccount++;
      if (grant.vm.id === vm.id) ofVm++;
    }
    return (
      this.#sessions.size < SESSIONS_PER_NODE && ofAccount < SESSIONS_PER_ACCOUNT && ofVm < SESSIONS_PER_VM
    );
  }

  /**
   * Watches a session until it closes. Resolves after checking its right once more, because changes between the
   * ticket's look-up and this call caused no signal for it.
   */
  async add(session: ConsoleSession): Promise<void> {
    const { metrics, logger, clock } = this.#services;
    const { kind, vm, accountId, rightId, share } = session.grant;
    const facts = { kind, vm_id: vm.id, account_id: accountId, right_id: rightId, share_id: share?.id };
    const openedAt = clock.now().getTime();
    this.#sessions.add(session);
    metrics.consoleOpened(kind);
    logger.info(facts, 'console opened');
    void session.closed.then(() => {
      this.#sessions.delete(session);
      metrics.consoleClosed(kind, session.reason!);
      const seconds = (clock.now().getTime() - openedAt) / 1000;
      logger.info({ ...facts, reason: session.reason, seconds }, 'console closed');
    });
    await this.#requireRights([session]);
  }

  /** Ends sessions that are idle, unresponsive or no longer allowed. Called every few seconds. */
  async check(): Promise<void> {
    const now = this.#services.clock.now().getTime();
    for (const session of this.#sessions) {
      const silentMs = now - session.lastByteAt;
      if (session.state === 'connecting' && silentMs >= CONNECT_MS) session.end('guest_unreachable');
      if (silentMs >= IDLE_MS) session.end('idle');
    }
    if (now - this.#pingedAt >= PING_MS) {
      this.#pingedAt = now;
      for (const session of this.#sessions) session.ping(now, PING_MS);
    }
    await this.#requireRights([...this.#sessions]);
  }

  endAll(reason: CloseReason): void {
    for (const session of this.#sessions) session.end(reason);
  }

  #lookAt(concerned: (session: ConsoleSession) => boolean): void {
    this.#requireRights([...this.#sessions].filter(concerned)).catch((error) =>
      this.#services.logger.error({ err: error }, 'consoles not checked'),
    );
  }

  async #requireRights(sessions: ConsoleSession[]): Promise<void> {
    if (sessions.length === 0) return;
    const { db, clock } = this.#services;
    const now = clock.now();
    const distinct = (ids: string[]) => [...new Set(ids)];
    const access = await readConsoleAccess(
      db,
      distinct(sessions.map(({ grant }) => grant.vm.id)),
      sessions.map(({ grant }) => rightOf(grant)),
      now,
    );
    const shareIds = distinct(sessions.flatMap(({ grant }) => grant.share?.id ?? []));
    const shares = shareIds.length > 0 ? await activeShares(db, shareIds, now) : new Set<string>();
    for (const session of sessions) {
      const { vm, share } = session.grant;
      const status = access.vms.get(vm.id);
      if (!status || !OPERATIONS.console.allowed.includes(status)) session.end('vm_off');
      else if (!access.isInForce(rightOf(session.grant)) || (share && !shares.has(share.id)))
        session.end('access_ended');
    }
  }
}

const rightOf = ({ rightId, accountId }: Grant) => ({ id: rightId, accountId });
