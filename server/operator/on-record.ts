import { insertOutcome, insertRequest } from '../db/queries/operator-log.ts';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { redactLine } from '../platform/redaction.ts';
import type { OperatorServices } from './endpoint.ts';
import { nameOf, type Peer } from './peer.ts';

/** Who asks: a process on the machine, or an operator who has signed in to the pages. */
export type Actor = Peer | { email: string; ip: string };

/** What is asked for, as it is written down. */
export interface RecordedRequest {
  /** Method and path, such as "POST /accounts/acc_…/credits". */
  request: string;
  input: unknown;
  actor: Actor;
}

/**
 * Does what an operator asked for, on record: who asks for what is written before, the outcome after. Nothing is done
 * that could not be recorded, and what was cut off by a crash stands there without an outcome. `work` is given the
 * operator's name, for what is written down elsewhere.
 */
export async function onRecord<T>(
  { db, clock, logger }: Pick<OperatorServices, 'db' | 'clock' | 'logger'>,
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
  // The work is done or refused by then, which the lack of an outcome must not turn into the contrary.
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
