import { deleteSession } from '../../../db/queries/access/sessions.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { PathId, Shape } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';

export const revokeSession = endpoint({
  audience: 'panel',
  operation: 'revokeSession',
  method: 'DELETE',
  path: '/sessions/{id}',
  access: 'person',
  tag: 'session',
  summary: 'End another session',
  params: Type.Object({ id: PathId('ses', 'Session identifier') }),
  data: Shape({}),
  errors: [],
  async handle({ db, params, session, browser, services: { clock, signals } }) {
    if (!(await deleteSession(db, session.personId, params.id))) throw notFound();
    await signals.accessEnded(db, params.id);
    if (params.id === session.id) browser.dropSession(db);
    await recordAudit(db, clock, {
      accountId: session.place?.accountId ?? null,
      personId: session.personId,
      action: 'session.revoked',
      subjectId: params.id,
      ip: browser.ip,
    });
    return { data: {} };
  },
});
