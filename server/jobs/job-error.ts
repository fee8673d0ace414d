import {
  AgentUnavailableError,
  CapacityError,
  ComputeUnavailableError,
  DiskShrinkError,
  ShutdownTimeoutError,
  TemplateUnavailableError,
} from '../compute/driver.ts';
import type { JobError } from './job.ts';

const KNOWN: readonly [new (...args: never[]) => Error, JobError['code'], string][] = [
  [ComputeUnavailableError, 'compute_unavailable', 'The compute engine failed to do this.'],
  [CapacityError, 'capacity_unavailable', 'The compute engine has no free capacity.'],
  [TemplateUnavailableError, 'unknown_template', 'The image of this template no longer exists.'],
  [ShutdownTimeoutError, 'guest_shutdown_timeout', 'The guest did not power off in time.'],
  [
    AgentUnavailableError,
    'guest_agent_unavailable',
    'Nothing answered inside the guest: neither a guest agent nor SSH on port 22.',
  ],
  [DiskShrinkError, 'disk_shrink_not_supported', 'A disk cannot be shrunk.'],
];

/** Returns the public code and message for any error of a driver; its details appear only in the log. */
export function jobError(error: unknown): JobError {
  for (const [type, code, message] of KNOWN) if (error instanceof type) return { code, message };
  return { code: 'internal_error', message: 'Something went wrong on our side.' };
}
