import type { ErrorCode, PanelErrorCode } from '../../../platform/errors.ts';
import { ERROR_GUIDE } from '../../openapi/error-guide.ts';
import type { ErrorGuide, ErrorVocabulary } from '../../openapi/error-responses.ts';
import { ERROR_DETAILS } from '../../openapi/errors.ts';

export const EVERY_RESPONSE = ['X-Request-Id', 'Cache-Control'];

const OWN: Record<PanelErrorCode, ErrorGuide> = {
  session_required: {
    meaning: 'There is no session, or it is over. Sign in.',
    message: 'Sign in first: you have no session, or it has expired.',
  },
  sign_in_failed: {
    meaning: 'Address or password is wrong; which of them is not disclosed.',
    message: 'The address or the password is wrong.',
  },
  role_required: {
    meaning: 'The role in this account does not allow it; `details.required_role` does.',
    message: 'The role viewer may not do this; it takes the role operator.',
    details: { role: 'viewer', required_role: 'operator' },
  },
  origin_not_allowed: {
    meaning: 'The request does not come from a page of this service.',
    message: 'Only pages of this service may make this request.',
  },
  confirmation_required: {
    meaning: 'Prove once more who you are, by confirmSession, and repeat.',
    message: 'Sign in again first.',
  },
  second_factor_required: {
    meaning: 'An operator does nothing before they have a second factor.',
    message: 'Set up a second factor first: a passkey, or a password and an authenticator app.',
  },
  sign_up_closed: {
    meaning: 'Sign-up is closed here, or by invitation only.',
    message: 'Only who was invited can sign up.',
  },
  link_invalid: {
    meaning:
      'The link does not work: `details.reason` says whether it was used or replaced, has expired, is not known, or is for an address that has an account already.',
    message: 'The link has already been used or was replaced by a newer one.',
    details: { reason: 'used' },
  },
};

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

export const PANEL_ERRORS: ErrorVocabulary = {
  guide: { ...ERROR_GUIDE, ...OWN },
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
  headers: (status) => [...EVERY_RESPONSE, ...(status === 429 ? ['Retry-After'] : [])],
};
