import { ComputeUnavailableError } from '../../../server/compute/driver.ts';
import type { StepHook } from '../../../server/jobs/execution.ts';
import type { JobDefinition } from '../../../server/jobs/job.ts';
import type { Trouble } from './fixture.ts';

type Point = Parameters<StepHook>[0];

/** A fault during a job, and how the job must end despite it. */
export interface Disturbance {
  name: string;
  end: 'succeeded' | 'failed' | 'either';
  /** Returns a fresh fault that has not happened yet. */
  make(): Trouble;
}

/** One more than the runner's attempts to undo before it leaves the job to adoption. */
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

/** Returns all faults of a kind of job: at each of its steps, during undo, and in the engine. */
export function disturbances({ steps, persistent }: JobDefinition): Disturbance[] {
  // The last step at which the job can still fail: a final step cannot be undone.
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

/** The job fails at its very end, and then undoing `step` goes wrong. */
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
