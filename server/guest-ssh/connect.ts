import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type ssh2 from 'ssh2';
import type { ComputeDriver } from '../compute/driver.ts';
import type { Database } from '../db/database.ts';
import { pinHostKey, pinnedHostKey } from '../db/queries/vms/guest-host-keys.ts';
import type { VmRow } from '../db/queries/vms/vms.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import { findTemplate } from '../domain/catalog/lookup.ts';
import type { Clock } from '../platform/clock.ts';
import type { OpsKeys } from './ops-keys.ts';

/** A login takes long on a guest under load; one that has not answered by then will not. */
const LOGIN_TIMEOUT_MS = 20_000;

export interface OpsServices {
  catalog: Catalog;
  clock: Clock;
  compute: ComputeDriver;
  db: Database;
  opsKeys: OpsKeys;
}

/** The login to the guest failed. `reason` is one of a fixed set; `message` is for the log. */
export class OpsSessionError extends Error {
  override name = 'OpsSessionError';
  readonly reason: 'unreachable' | 'refused' | 'timeout' | 'host_key_changed';

  constructor(reason: OpsSessionError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * The guest's host key differs from the one at first contact: the guest was replaced, or there is a man in the
 * middle.
 */
export class HostKeyChangedError extends OpsSessionError {
  override name = 'HostKeyChangedError';
  readonly pinned: string;
  readonly shown: string;

  constructor(vmId: string, pinned: string, shown: string) {
    super('host_key_changed', `${vmId} showed host key ${shown}; ${pinned} is pinned`);
    this.pinned = pinned;
    this.shown = shown;
  }
}

/** Returns the user that the ops key is attached to: the image's default one. */
export function defaultUser({ catalog }: { catalog: Catalog }, vm: VmRow): string {
  return findTemplate(catalog, vm.template)?.default_user ?? 'root';
}

/**
 * Logs in to the guest with the ops key, as the image's default user or as `username` if the guest accepts the key
 * for that user. Pins the guest's host key at first contact. Throws {@link HostKeyChangedError} or {@link
 * OpsSessionError}, or the reason of `signal`, which also ends an open session. The caller must end the client. Never
 * call it inside a transaction.
 */
export async function openOpsSession(
  services: OpsServices,
  vm: VmRow,
  signal?: AbortSignal,
  username = defaultUser(services, vm),
): Promise<ssh2.Client> {
  const loggedIn = new AbortController();
  const deadline = services.clock.sleep(LOGIN_TIMEOUT_MS, loggedIn.signal).then(() => {
    throw new OpsSessionError('timeout', `${vm.id} did not complete the login within ${LOGIN_TIMEOUT_MS} ms`);
  });
  deadline.catch(() => {});
  const giveUp = new AbortController();
  const abort = AbortSignal.any(signal ? [giveUp.signal, signal] : [giveUp.signal]);
  const login = connect(services, vm, username, abort);
  try {
    return await Promise.race([login, deadline, rejection(abort)]);
  } catch (error) {
    giveUp.abort(error);
    // The login may still succeed later: then the connection is closed unused.
    login.then(
      (client) => client.destroy(),
      () => {},
    );
    throw error;
  } finally {
    loggedIn.abort();
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function connect(
  services: OpsServices,
  vm: VmRow,
  username: string,
  signal: AbortSignal,
): Promise<ssh2.Client> {
  const pinned = await pinnedHostKey(services.db, vm.id);
  const privateKeys = await services.opsKeys.offeredTo(vm.id);
  // Loaded on first use, before there is a socket whose errors would go unhandled during the import.
  const { Client } = (await import('ssh2')).default;
  const { offeringKeys } = await import('../platform/ssh-key-pair.ts');
  const sock = await services.compute.openSsh(vm.id).catch((error) => {
    throw new OpsSessionError('unreachable', `nothing answers on port 22 of ${vm.id}`, { cause: error });
  });
  if (signal.aborted) {
    sock.destroy();
    throw signal.reason;
  }
  const { client, shown } = await logIn(vm, {
    client: new Client(),
    sock,
    username,
    authHandler: offeringKeys(username, privateKeys),
    signal,
    pinned,
  });
  if (pinned === undefined) {
    try {
      await pin(services, vm, shown);
    } catch (error) {
      client.destroy();
      throw error;
    }
  }
  return client;
}

interface Login {
  client: ssh2.Client;
  sock: Duplex;
  username: string;
  authHandler: ssh2.AuthenticationType[];
  signal: AbortSignal;
  /** Fingerprint of the guest's host key; absent at first contact. */
  pinned: string | undefined;
}

interface LoggedIn {
  client: ssh2.Client;
  /** Fingerprint of the host key that the guest presented. */
  shown: string;
}

function logIn(vm: VmRow, login: Login): Promise<LoggedIn> {
  const { client, sock, username, authHandler, signal, pinned } = login;
  let shown = '';
  let refusal: Error | undefined;
  // Answers synchronously: the library throws uncatchably if a verdict arrives after the connection has ended.
  const hostVerifier = (key: Buffer) => {
    shown = fingerprint(key);
    if (pinned === undefined || pinned === shown) return true;
    refusal = new HostKeyChangedError(vm.id, pinned, shown);
    return false;
  };
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => client.destroy(), { once: true });
    client.once('close', () => sock.destroy());
    // Kept for the client's whole life: without a listener a late error would end the process.
    client.on('error', (error: Error & { level?: string }) => {
      const reason = error.level === 'client-authentication' ? 'refused' : 'unreachable';
      reject(refusal ?? new OpsSessionError(reason, `${vm.id}: ${error.message}`, { cause: error }));
    });
    client.once('close', () =>
      reject(refusal ?? new OpsSessionError('unreachable', `${vm.id} closed the connection`)),
    );
    client.once('ready', () => resolve({ client, shown }));
    // The library's own timeout uses the wall clock; ours is in openOpsSession.
    client.connect({ sock, username, authHandler, hostVerifier, readyTimeout: 0 });
  });
}

/**
 * Pins the key at first contact. Throws {@link HostKeyChangedError} if a concurrent first contact pinned a different
 * one.
 */
async function pin({ db, clock }: OpsServices, vm: VmRow, shown: string): Promise<void> {
  const pinned = await pinHostKey(db, vm.id, shown, clock.now());
  if (pinned !== shown) throw new HostKeyChangedError(vm.id, pinned, shown);
}

/** Formats a fingerprint like `ssh-keygen -l`. */
function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256')
    .update(key)
    .digest('base64')
    .replace(/={1,2}$/, '')}`;
}
