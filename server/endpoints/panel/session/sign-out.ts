import { deleteSession } from '../../../db/queries/access/sessions.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';

export const signOut = endpoint({
  audience: 'panel',
  operation: 'signOut',
  method: 'DELETE',
  path: '/session',
  access: 'person',
  tag: 'session',
  summary: 'Sign out',
  description: 'Ends the session and the terminals that it opened. Share links stay.',
  data: Shape({}),
  errors: [],
  async handle({ session, db, browser, services: { signals } }) {
    await deleteSession(db, session.personId, session.id);
    await signals.accessEnded(db, session.id);
    browser.dropSession(db);
    return { data: {} };
  },
});
