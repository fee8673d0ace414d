import type { ErrorCode } from '../../platform/error-codes.ts';
import { VERSION } from '../../platform/version.ts';
import type { PanelTag } from '../endpoint.ts';
import { ERROR_DETAILS } from './customer-errors.ts';
import { type Description, NO_REPLY_KEPT } from './description.ts';

/** The groups of operations, in display order. */
const TAGS: Record<PanelTag, { title: string; description: string }> = {
  site: { title: 'Site', description: 'Settings that are the same for everyone.' },
  session: { title: 'Sessions', description: 'Signing up, in and out.' },
  person: { title: 'Person', description: 'The signed-in person and their credentials.' },
  key: { title: 'API keys', description: 'Keys of the account, which no key may make.' },
  member: { title: 'Members', description: 'The people of an account.' },
  account: { title: 'Account', description: 'The account: its members, its audit log, and closing it.' },
  money: { title: 'Money', description: 'Top-ups, and what became of the money.' },
  vm: { title: 'VMs', description: 'Operations on VMs that only people can perform.' },
  live: { title: 'Changes', description: 'A stream of changes.' },
};

/** The rules that apply to every operation, in Markdown. */
const CONVENTIONS = `
Made for the pages of the service itself, below \`/panel/api\`. The customers' operations of \`openapi.json\` stand there too, as \`/panel/api/v1/…\`, with a role in place of scopes.

A browser is known by its session cookie; a key is not looked at. Whatever is not a GET must come from our own pages, as \`Origin\` and \`Sec-Fetch-Site\` say. Each operation says under \`x-access\` who may call it: \`public\`, a \`person\` who has signed in, or who is at least \`viewer\`, \`operator\` or \`owner\` of the account that the session shows. With \`x-confirm\` the person must have signed in again within ten minutes, or is answered 403 \`confirmation_required\`.

Bodies, replies, errors, lists, money and time are as in the customers' API. A session may send 600 requests a minute.
`.trim();

/** Refusals that many operations share, by the name of their component. */
const SHARED: Record<string, ErrorCode[]> = {
  SessionRequired: ['session_required'],
  OriginNotAllowed: ['origin_not_allowed'],
  RoleRequired: ['role_required', 'origin_not_allowed'],
  RoleAndConfirmationRequired: ['role_required', 'origin_not_allowed', 'confirmation_required'],
  ConfirmationRequired: ['origin_not_allowed', 'confirmation_required'],
  NotFound: ['not_found'],
  InvalidRequest: ['invalid_request'],
  InvalidRequestOrJson: ['invalid_json', 'invalid_request'],
  BodyTooLarge: ['body_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  ValidationFailed: ['validation_failed'],
  RateLimitExceeded: ['rate_limit_exceeded'],
  InternalError: ['internal_error'],
  ServiceUnavailable: ['service_unavailable'],
};

/** The operations that only the panel has: `panel-openapi.json`. */
export const PANEL_DESCRIPTION: Description = {
  audience: 'panel',
  paths: '/',
  title: 'Vauban Panel API',
  version: VERSION,
  summary: "The operations of the control panel in addition to the customers' operations.",
  conventions: CONVENTIONS,
  server: { url: '/panel/api', description: 'This service.' },
  security: [{ session: [] }],
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-vauban_session',
      description: 'The cookie of a session; without https it is called `vauban_session`.',
    },
  },
  tags: TAGS,
  everyOperation: [
    'invalid_request',
    'origin_not_allowed',
    'validation_failed',
    'rate_limit_exceeded',
    'internal_error',
    'service_unavailable',
  ],
  everyResponse: ['X-Request-Id', 'Cache-Control'],
  statusHeaders: { 429: ['Retry-After'] },
  everyParameter: [],
  ownHeaders: NO_REPLY_KEPT,
  details: {
    ...ERROR_DETAILS,
    properties: {
      ...ERROR_DETAILS.properties,
      policy: { type: 'string', description: 'rate_limit_exceeded: the limit that was exceeded' },
      role: { type: 'string', description: 'role_required: what you are' },
      reason: { type: 'string', description: 'link_invalid: `used`, `expired`, `unknown` or `taken`' },
      required_role: { type: 'string', description: 'role_required: what it takes' },
    },
  },
  shared: SHARED,
};
