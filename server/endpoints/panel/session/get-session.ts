import { panelEndpoint } from '../../../http/panel/endpoint.ts';
import { presentSession, SessionShape } from './session-shape.ts';

export const getSession = panelEndpoint({
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
