import { endpoint } from '../../../http/endpoint.ts';
import { presentSession, SessionShape } from './session-shape.ts';

export const getSession = endpoint({
  audience: 'panel',
  operation: 'getSession',
  method: 'GET',
  path: '/session',
  access: 'person',
  tag: 'session',
  summary: 'Get the signed-in person and the account shown',
  data: SessionShape,
  errors: [],
  async handle({ session, db, now }) {
    return { data: await presentSession(db, session, now) };
  },
});
