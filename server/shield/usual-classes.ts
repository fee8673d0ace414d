import { EDGE_CLASSES, type EdgeClass, type Volume } from '../edge/driver.ts';
import { difference } from './classify.ts';

type Classes = Record<EdgeClass, Volume>;

/** Weight of the newest reading; readings are about ten seconds apart. */
const WEIGHT = 0.1;

/** A target's usual packets per second in each class, which a limit must still allow. */
export class UsualClasses {
  #pps: Record<EdgeClass, number> | undefined;
  #last: { classes: Classes; at: Date } | undefined;

  /** Learns from a reading; the traffic since the previous one must be normal. */
  learn(classes: Classes, at: Date): void {
    const last = this.#last;
    this.#last = { classes, at };
    const seconds = last ? (at.getTime() - last.at.getTime()) / 1000 : 0;
    if (seconds <= 0) return;
    const fresh = difference(classes, last!.classes);
    const entries = EDGE_CLASSES.map((name): [EdgeClass, number] => {
      const now = fresh[name].packets / seconds;
      const before = this.#pps?.[name] ?? now;
      return [name, before + WEIGHT * (now - before)];
    });
    this.#pps = Object.fromEntries(entries) as Record<EdgeClass, number>;
  }

  /**
   * Marks the traffic since the last reading as unusual or unknown, so that the next reading is compared with none.
   */
  skip(): void {
    this.#last = undefined;
  }

  /** Returns the usual rate of a class; zero if it is not known. */
  pps(name: EdgeClass): number {
    return this.#pps?.[name] ?? 0;
  }
}
