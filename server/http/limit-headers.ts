import type { LimitState } from '../access/rate-limits.ts';
import { ApiError } from '../platform/errors.ts';

/** Returns the headers with the state of a limit; includes Retry-After if the limit refuses the request. */
export function limitHeaders(state: LimitState, now: Date): Record<string, number> {
  return {
    'x-ratelimit-limit': state.limit,
    'x-ratelimit-remaining': state.remaining,
    'x-ratelimit-reset': state.resetAt,
    ...(!state.allowed && { 'retry-after': waitSeconds(state, now) }),
  };
}

export function limitExceeded(state: LimitState, now: Date): ApiError {
  const message = `Too many requests. Try again in ${waitSeconds(state, now)} s.`;
  return new ApiError('rate_limit_exceeded', message, { policy: state.policy });
}

const waitSeconds = ({ resetAt }: LimitState, now: Date) =>
  Math.max(1, Math.ceil(resetAt - now.getTime() / 1000));
