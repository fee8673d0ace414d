import type { SimulatedTarget } from './target.ts';

export type { SimulatedTarget };

export interface StoredTarget {
  id: string;
  state: SimulatedTarget;
}

/** The simulated edge's memory, shared by every process that has it. The `work` of a change may run again. */
export interface EdgeStore {
  /** The given targets, or all of them, in order of their ids. */
  readTargets(ids?: string[]): Promise<StoredTarget[]>;
  /** Makes these all the targets there are, each as `work` has it from its present state, if it has one. */
  replaceTargets(
    ids: string[],
    work: (id: string, present: SimulatedTarget | undefined) => SimulatedTarget,
  ): Promise<void>;
  /** Makes or changes one target, as `work` has it from its present state, if it has one. */
  putTarget(id: string, work: (present: SimulatedTarget | undefined) => SimulatedTarget): Promise<void>;
  /** Deletes a target; an absent one is a success. */
  deleteTarget(id: string): Promise<void>;
  /** Lets `work` make another state of a target, exclusively; undefined, and no work, where there is none. */
  changeTarget(
    id: string,
    work: (target: SimulatedTarget) => SimulatedTarget,
  ): Promise<SimulatedTarget | undefined>;
}
