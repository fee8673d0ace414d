import { CLOSE_REASONS } from '../../../consoles/close-reasons.ts';
import { Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const Secret = Type.String({ description: 'Shown once; begins with `vct_`' });

export const ticketFields = {
  expires_at: Timestamp(),
  expires_in_seconds: Type.Integer(),
  single_use: Type.Boolean({ description: 'Always true: used up by the first WebSocket that presents it' }),
};

export const exampleTicket = {
  expires_at: '2026-01-05T10:01:00.000Z',
  expires_in_seconds: 60,
  single_use: true,
};

const codes = Object.values(CLOSE_REASONS)
  .filter(({ text }) => text !== '')
  .map(({ code, text }) => `${code} ${text.toLowerCase()}`);

/** For descriptions: the reasons for closing a WebSocket. */
export const CLOSE_CODES = `Close codes: ${codes.join('; ')}.`;
