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
  [ComputeUnavailableError, 'compute_unavailable', 'The compute engine could not do it.'],
  [CapacityError, 'capacity_unavailable', 'There is no room left on the compute engine.'],
  [TemplateUnavailableError, 'unknown_template', 'There is no image of this template any more.'],
  [ShutdownTimeoutError, 'guest_shutdown_timeout', 'The guest did not power off in time.'],
  [
    AgentUnavailableError,
    'guest_agent_unavailable',
    'Nothing inside the guest answered: neither a guest agent nor SSH on port 22.',
  ],
  [DiskShrinkError, 'disk_shrink_not_supported', 'A disk cannot be made smaller.'],
];

/** Returns the public code and message for any error of a driver; its details appear only in the log. */
export function jobError(error: unknown): JobError {
  for (const [type, code, message] of KNOWN) if (error instanceof type) return { code, message };
  return { code: 'internal_error', message: 'Something went wrong on our side.' };
}
