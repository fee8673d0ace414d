import { Type } from '../../platform/schema.ts';

const closed = { additionalProperties: false };
const Positive = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });

/** The rules by which VMs are restarted: see `domain/vms/restarts.ts`. */
export const RestartSchema = Type.Object(
  {
    policy: Type.Optional(
      Type.Enum(['on_failure', 'never'], {
        description:
          'Controls whether the service restarts a VM that was not switched off by its customer, for example after a crash, the end of its process or a reboot of its host; defaults to on_failure',
      }),
    ),
    at_once: Type.Optional({
      ...Positive,
      description:
        'Maximum number of VMs that the service starts at the same time on a host; defaults to its number of cores',
    }),
    first_wait_seconds: Type.Optional({
      ...Positive,
      description: 'Wait before the second start in a row, doubled for each further one; defaults to 15',
    }),
    longest_wait_seconds: Type.Optional({ ...Positive, description: 'Maximum wait; defaults to 900' }),
    stable_after_seconds: Type.Optional({
      ...Positive,
      description: 'How long a VM must run before its restart count is reset; defaults to 600',
    }),
  },
  { ...closed, description: 'Restarts of VMs that should be running' },
);
