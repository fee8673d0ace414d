import { ComputeUnavailableError } from '../../../server/compute/driver.ts';
import type { StepHook } from '../../../server/jobs/execution.ts';
import type { JobDefinition } from '../../../server/jobs/job.ts';
import type { Trouble } from './fixture.ts';

type Point = Parameters<StepHook>[0];

/** Something that goes wrong while a job runs, and how the job must end nevertheless. */
export interface Disturbance {
  name: string;
  end: 'succeeded' | 'failed' | 'either';
  /** Trouble that has not struck yet. */
  make(): Trouble;
}

/** As often as the runner tries an undo before it leaves it to adoption, and once more. */
const MANY = 4;

/** Throws at a point, the first `times` that it is reached. */
function failing(at: Partial<Point>, times = 1): (point: Point) => undefined {
  let left = times;
  return (point) => {
    if (matches(point, at) && left-- > 0) throw new Error(`fails ${point.phase} ${point.step}`);
  };
}

function crashing(at: Partial<Point>): (point: Point) => 'crash' | undefined {
  const reached = new Set<string>();
  return (point) => {
    if (!matches(point, at) || reached.has(point.step)) return undefined;
    reached.add(point.step);
    return 'crash';
  };
}

const matches = (point: Point, at: Partial<Point>) =>
  (at.step === undefined || at.step === point.step) && at.phase === point.phase;

/** All that can go wrong with a kind of job: at each of its steps, while it is undone, and in the engine. */
export function disturbances({ steps, persistent }: JobDefinition): Disturbance[] {
  // Where the job can still fail: from a final step on there is no way back.
  const last = steps.findLast(({ final }) => !final)!.name;
  const all: Disturbance[] = [
    {
      name: 'the node crashes after every step',
      end: 'succeeded',
      make: () => ({ step: crashing({ phase: 'after' }) }),
    },
  ];
  for (const { name: step, final } of steps) {
    const failed = persistent || final ? 'succeeded' : 'failed';
    for (const phase of ['before', 'after'] as const) {
      all.push(
        { name: `fails ${phase} ${step}`, end: failed, make: () => ({ step: failing({ step, phase }) }) },
        {
          name: `the node crashes ${phase} ${step}`,
          end: 'succeeded',
          make: () => ({ step: crashing({ step, phase }) }),
        },
      );
    }
    if (!persistent && !final) all.push(...undoDisturbances(step, last));
  }
  for (const number of steps.keys()) {
    for (const faults of [1, 2]) {
      all.push({
        name: `the engine fails ${faults} times from its operation ${number} on`,
        end: persistent ? 'succeeded' : 'either',
        make: () => ({
          engine(before) {
            if (before >= number && before < number + faults) throw new ComputeUnavailableError('away');
          },
        }),
      });
    }
  }
  return all;
}

/** The job fails at its very end, and then something goes wrong where `step` is undone. */
function undoDisturbances(step: string, last: string): Disturbance[] {
  const at = { step, phase: 'undo' } as const;
  const both = (second: () => NonNullable<Trouble['step']>) => () => {
    const [first, then] = [failing({ step: last, phase: 'after' }), second()];
    return { step: (point: Point) => first(point) ?? then(point) };
  };
  return [
    { name: `the undo of ${step} fails once`, end: 'failed', make: both(() => failing(at)) },
    { name: `the undo of ${step} fails many times`, end: 'failed', make: both(() => failing(at, MANY)) },
    { name: `the node crashes while ${step} is undone`, end: 'failed', make: both(() => crashing(at)) },
  ];
}
