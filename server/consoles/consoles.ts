import type { WebSocket } from 'ws';
import {
  findShareBySecret,
  releaseViewerSlot,
  renewViewerSlots,
  type ShareRow,
  takeViewerSlot,
} from '../db/queries/vms/console-shares.ts';
import { findVm, type VmView } from '../db/queries/vms/vms.ts';
import { OPERATIONS } from '../domain/vms/states.ts';
import { notFound } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { CloseReason } from './close-reasons.ts';
import { connect } from './connect.ts';
import type { ConsoleServices } from './console-services.ts';
import { CLOSE_GRACE_MS, ROOMS_PER_ACCOUNT, ROOMS_PER_NODE } from './limits.ts';
import { ConsoleRegistry } from './registry.ts';
import { hashSecret, isSecret } from './secret.ts';
import { ConsoleSession, type Grant } from './session.ts';
import { ShareRoom } from './share-room.ts';
import { Screens } from './shared-screens/screens.ts';
import type { UsedTicket } from './tickets.ts';
import { ViewerThrottle } from './viewer-throttle.ts';

/** The share link that a secret opens, with the current state of its VM. */
export interface OpenedShare {
  share: ShareRow;
  vm: VmView;
}

/** The consoles of this node: admits WebSockets, watches them, and ends them. */
export class Consoles {
  readonly #services: ConsoleServices;
  readonly #registry: ConsoleRegistry;
  readonly #rooms = new Map<string, ShareRoom>();
  readonly #screens: Screens;
  readonly #throttle: ViewerThrottle;
  #stopping = false;

  constructor(services: ConsoleServices) {
    this.#services = services;
    this.#registry = new ConsoleRegistry(services);
    this.#screens = new Screens(services);
    this.#throttle = new ViewerThrottle(services.clock);
  }

  /** Serves a WebSocket admitted by a ticket; `raw` asks for a direct connection to the guest's port 22. */
  async serveTicket({ ticket, vm }: UsedTicket, ws: WebSocket, raw: boolean): Promise<void> {
    const kind = ticket.kind === 'ssh' && raw ? 'ssh_raw' : ticket.kind;
    const grant: Grant = { kind, vm, accountId: ticket.account_id, rightId: ticket.right_id, share: null };
    const operation = ticket.kind === 'ssh' ? 'ssh' : 'console';
    const session = await this.#letIn(grant, ws, OPERATIONS[operation].allowed.includes(vm.status));
    if (!session.reason) await connect(this.#services, session, ticket);
  }

  /**
   * Returns the share that this secret opens. Throws `not_found` for unknown, revoked and expired secrets, without
   * distinction.
   */
  async openShare(id: string, secret: string): Promise<OpenedShare> {
    const { db, clock } = this.#services;
    if (!isSecret(secret, 'vcs')) throw notFound();
    const share = await findShareBySecret(db, id, hashSecret(secret), clock.now());
    const vm = share && (await findVm(db, share.account_id, share.vm_id));
    if (!share || !vm) throw notFound();
    return { share, vm };
  }

  async serveViewer({ share, vm }: OpenedShare, ws: WebSocket): Promise<void> {
    const { db, clock } = this.#services;
    const viewerId = newId('vwr', clock);
    const grant: Grant = {
      kind: 'share',
      vm,
      accountId: share.account_id,
      rightId: share.principal_id,
      share: { id: share.id, viewerId },
    };
    const session = await this.#letIn(grant, ws, OPERATIONS.ssh.allowed.includes(vm.status));
    if (!session.reason) await this.#throttle.wait(share.id, session.signal);
    if (session.reason) return;
    const seated = await db.transaction((tx) => takeViewerSlot(tx, share, viewerId, clock.now()));
    if (!seated) return session.end('too_many_viewers');
    void session.closed.then(() => this.#leave(viewerId));
    if (session.reason) return;
    const room = this.#room(share, vm);
    if (room) room.join(session, share.mode);
    else session.end('too_many_sessions');
  }

  /** Does the periodic work. Called every few seconds, but not while the previous call is still running. */
  async check(): Promise<void> {
    const { db, clock } = this.#services;
    const now = clock.now();
    for (const room of this.#rooms.values()) room.check();
    this.#forgetRooms();
    this.#throttle.prune();
    await this.#screens.check();
    await this.#registry.check();
    const viewers = [...this.#registry.sessions].flatMap(({ grant }) => grant.share?.viewerId ?? []);
    if (viewers.length > 0) await renewViewerSlots(db, viewers, now);
  }

  /** Notifies every client that the service stops, and cuts those that do not answer. Refuses new connections. */
  async close(): Promise<void> {
    this.#stopping = true;
    for (const room of this.#rooms.values()) room.end('shutdown');
    this.#registry.endAll('shutdown');
    const sessions = [...this.#registry.sessions];
    const closed = Promise.all(sessions.map((session) => session.closed));
    const graceOver = new AbortController();
    await Promise.race([closed, this.#services.clock.sleep(CLOSE_GRACE_MS, graceOver.signal)]);
    graceOver.abort();
    for (const session of sessions) session.cut();
    await closed;
    await this.#screens.close();
  }

  /** Returns a watched session. One that may not begin has already ended, with its reason. */
  async #letIn(grant: Grant, ws: WebSocket, isUp: boolean): Promise<ConsoleSession> {
    const refusal = this.#refusal(grant, isUp);
    const session = new ConsoleSession(grant, ws, this.#services);
    const watched = this.#registry.add(session);
    if (refusal) session.end(refusal);
    await watched;
    return session;
  }

  #refusal(grant: Grant, isUp: boolean): CloseReason | undefined {
    if (this.#stopping) return 'shutdown';
    if (!isUp) return 'vm_off';
    return this.#registry.hasRoom(grant) ? undefined : 'too_many_sessions';
  }

  /** Returns the room of a share, creating it for its first viewer; undefined if the limit is reached. */
  #room(share: ShareRow, vm: VmView): ShareRoom | undefined {
    this.#forgetRooms();
    const room = this.#rooms.get(share.id);
    if (room) return room;
    const ofAccount = [...this.#rooms.values()].filter(({ accountId }) => accountId === vm.account_id);
    if (this.#rooms.size >= ROOMS_PER_NODE || ofAccount.length >= ROOMS_PER_ACCOUNT) return undefined;
    const made = new ShareRoom(this.#services, vm, this.#screens);
    this.#rooms.set(share.id, made);
    return made;
  }

  #forgetRooms(): void {
    for (const [id, room] of this.#rooms) if (room.isOver) this.#rooms.delete(id);
  }

  async #leave(viewerId: string): Promise<void> {
    // A seat that cannot be released now expires later.
    await releaseViewerSlot(this.#services.db, viewerId).catch((error) =>
      this.#services.logger.warn({ err: error }, 'seat not released'),
    );
  }
}
