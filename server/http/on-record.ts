import { insertOutcome, insertRequest } from '../db/queries/service/operator-log.ts';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { redactLine } from '../platform/redaction.ts';
import type { CommonServices } from './services.ts';

/** The process at the other end of a Unix socket, as reported by the kernel. All null if the system cannot tell. */
export interface Peer {
  uid: number | null;
  pid: number | null;
  userName: string | null;
  /** The user who logged in on the machine, if that is another user: it is kept through `sudo` and `su`. */
  loginName: string | null;
}

/** The requester: a process on the machine, or an operator signed in to the operator panel. */
export type Actor = Peer | { email: string; ip: string };

export interface RecordedRequest {
  /** Method and path, such as "POST /accounts/acc_…/credits". */
  request: string;
  input: unknown;
  actor: Actor;
}

/**
 * Performs an operator's request on record: who requests what is written before, the outcome after. Nothing is done
 * that could not be recorded, and a request cut off by a crash remains without an outcome. `work` receives the
 * operator's name, for other records.
 */
export async function onRecord<T>(
  { db, clock, logger }: Pick<CommonServices, 'db' | 'clock' | 'logger'>,
  { request, input, actor }: RecordedRequest,
  work: (name: string) => Promise<T>,
): Promise<T> {
  const isPerson = 'email' in actor;
  const { uid, pid, userName, loginName } = isPerson ? NO_PROCESS : actor;
  const id = newId('olg', clock);
  await insertRequest(db, {
    id,
    uid,
    pid,
    user_name: userName,
    login_name: loginName,
    email: isPerson ? actor.email : null,
    ip: isPerson ? actor.ip : null,
    request,
    input: JSON.parse(redactLine(JSON.stringify(input ?? {}))),
    created_at: clock.now(),
  });
  // The work has been done or refused by now, and a failure to record the outcome must not change that.
  const record = (status: number) =>
    insertOutcome(db, id, status, clock.now()).catch((error) =>
      logger.error({ err: error, log_id: id, status }, 'outcome not recorded'),
    );
  try {
    const result = await work(isPerson ? actor.email : nameOf(actor));
    await record(200);
    return result;
  } catch (error) {
    await record(error instanceof ApiError ? error.status : 500);
    throw error;
  }
}

const NO_PROCESS: Peer = { uid: null, pid: null, userName: null, loginName: null };

/** Names a peer for people: "root", "anna as root", or "unknown". */
function nameOf({ userName, loginName }: Peer): string {
  const user = userName ?? 'unknown';
  return loginName ? `${loginName} as ${user}` : user;
}
