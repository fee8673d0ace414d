import type { SimulatedTarget } from './target.ts';

export type { SimulatedTarget };

export interface StoredTarget {
  id: string;
  state: SimulatedTarget;
}

/**
 * The simulated edge's memory, shared by all processes that use it. The `work` of a change may run more than once.
 */
export interface EdgeStore {
  /** Returns the given targets, or all of them, ordered by id. */
  readTargets(ids?: string[]): Promise<StoredTarget[]>;
  /** Replaces all targets with these. `work` returns each target's new state from its present one, if it has one. */
  replaceTargets(
    ids: string[],
    work: (id: string, present: SimulatedTarget | undefined) => SimulatedTarget,
  ): Promise<void>;
  /** Creates or changes one target. `work` returns its new state from its present one, if it has one. */
  putTarget(id: string, work: (present: SimulatedTarget | undefined) => SimulatedTarget): Promise<void>;
  /** Deletes a target; succeeds if it is absent. */
  deleteTarget(id: string): Promise<void>;
  /**
   * Changes a target exclusively through `work`. Returns undefined without calling `work` if there is no such target.
   */
  changeTarget(
    id: string,
    work: (target: SimulatedTarget) => SimulatedTarget,
  ): Promise<SimulatedTarget | undefined>;
}
