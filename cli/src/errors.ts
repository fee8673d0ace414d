import { CommanderError } from 'commander';
import { ApiError, ConnectionError, JobFailedError, TimeoutError } from '../../sdk/src/index.ts';
import { safe } from '../../shared/safe-text.ts';
import { EXIT, Failure } from './failure.ts';
import { optionOf } from './fields.ts';
import { money } from './output/values.ts';

const HINTS: Record<string, string> = {
  api_key_invalid: 'Store another key: vauban context create <name> --url <url>',
  api_key_expired: 'Store another key: vauban context create <name> --url <url>',
  ip_not_allowed: 'This key may only be used from other addresses.',
  scope_required: 'Use a key with this scope. You can create one in the panel.',
  vm_locked: 'A job is running. Wait for it: vauban vm get <vm> --wait-seconds 30',
  vm_must_be_stopped: 'Stop it with vauban vm stop <vm> --wait, or allow a reboot with --allow-reboot',
  payment_due: 'Top up the wallet. To see how much you are short: vauban billing summary',
  price_changed: 'The price has changed. Repeat the command to see the new one.',
  quota_exceeded: 'Your usage and limits: vauban billing usage',
  unknown_plan: 'The plans: vauban catalog get',
  unknown_template: 'The templates: vauban catalog get',
  agent_busy: 'To see it, run: vauban agent status <vm>',
  rate_limit_exceeded: 'Wait a minute. Other programs with keys of this account count too.',
};

/** Returns an error as lines to print and an exit code. */
export function explain(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // Commander has already printed the message.
  if (error instanceof CommanderError)
    return new Failure(error.exitCode === 0 ? EXIT.done : EXIT.wronglyCalled);
  if (error instanceof ApiError) return explainRefusal(error);
  if (error instanceof JobFailedError)
    return new Failure(EXIT.jobFailed, `${safe(error.message)} (${error.job.id})`);
  if (error instanceof ConnectionError) {
    const { cause } = error;
    const why = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause : cause) : undefined;
    const detail = error instanceof TimeoutError || !why ? '' : `: ${why.message || why.name}`;
    const key = error.idempotencyKey;
    return new Failure(
      EXIT.unreachable,
      safe(`${error.message}${detail}`),
      ...(key ? [`To retry without doing it twice: --idempotency-key ${key}`] : []),
    );
  }
  throw error;
}

function explainRefusal(error: ApiError): Failure {
  const { details, code, status, requestId } = error;
  const fields = (details.fields ?? []).map(
    ({ field, message }) => `  ${optionOf(safe(field))}: ${safe(message)}`,
  );
  const hint = HINTS[code];
  const { shortfall_minor: missing, currency } = details;
  const lines = [
    `${safe(error.message)} (${safe(code)})`,
    ...fields,
    ...(missing !== undefined && currency ? [`  Missing: ${money(missing, currency)}`] : []),
    ...(hint ? [`  ${hint}`] : []),
    ...(status >= 500 && requestId ? [`  Request: ${safe(requestId)}`] : []),
  ];
  return new Failure(status >= 500 || status === 429 ? EXIT.unreachable : EXIT.refused, ...lines);
}
