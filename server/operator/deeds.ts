import type { FastifyRequest } from 'fastify';
import { insertDeed, insertOutcome } from '../db/queries/operator-log.ts';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { redactLine } from '../platform/redaction.ts';
import type { OperatorServices } from './endpoint.ts';
import { nameOf, peerOf } from './peer.ts';

/**
 * Does what an operator asked for, on record: who asks for what is written before, the outcome after. Nothing is done
 * that could not be recorded, and what was cut off by a crash stands there without an outcome. `work` is given the
 * operator's name, for what is written down elsewhere.
 */
export async function onRecord<T>(
  { db, clock, logger }: Pick<OperatorServices, 'db' | 'clock' | 'logger'>,
  request: FastifyRequest,
  work: (actor: string) => Promise<T>,
): Promise<T> {
  const peer = await peerOf(request.socket);
  const { uid, pid, userName, loginName } = peer;
  const id = newId('olg', clock);
  await insertDeed(db, {
    id,
    uid,
    pid,
    user_name: userName,
    login_name: loginName,
    deed: `${request.method} ${request.url}`,
    input: JSON.parse(redactLine(JSON.stringify(request.body ?? {}))),
    created_at: clock.now(),
  });
  // The deed is done or refused by then, which the lack of an outcome must not turn into the contrary.
  const record = (status: number) =>
    insertOutcome(db, id, status, clock.now()).catch((error) =>
      logger.error({ err: error, log_id: id, status }, 'outcome not recorded'),
    );
  try {
    const result = await work(nameOf(peer));
    await record(200);
    return result;
  } catch (error) {
    await record(error instanceof ApiError ? error.status : 500);
    throw error;
  }
}
