import { EDGE_CLASSES, type EdgeClass, type Volume } from '../edge/driver.ts';
import { difference } from './classify.ts';

type Classes = Record<EdgeClass, Volume>;

/** Weight of the newest reading; they are some ten seconds apart. */
const WEIGHT = 0.1;

/** How many packets a second of each class are usual for a target: what a limit has to leave. */
export class UsualClasses {
  #pps: Record<EdgeClass, number> | undefined;
  #last: { classes: Classes; at: Date } | undefined;

  /** Takes a reading of a time in which nothing was unusual. */
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

  /** What came in since the reading before is unusual, or is not known: the next reading is compared with none. */
  skip(): void {
    this.#last = undefined;
  }

  /** Zero where it is not known. */
  pps(name: EdgeClass): number {
    return this.#pps?.[name] ?? 0;
  }
}
