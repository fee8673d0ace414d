import { EventEmitter, getEventListeners } from 'node:events';
import { Socket } from 'node:net';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** The constructors as they were: the census must not count what it makes itself. */
const PlainMap = Map;
const PlainSet = Set;

type Collection = Map<unknown, unknown> | Set<unknown>;

/** Objects that are counted for as long as something else keeps them. */
class Register<T extends object> {
  #refs: WeakRef<T>[] = [];
  #pruneAt = 10_000;

  add(object: T): void {
    this.#refs.push(new WeakRef(object));
    if (this.#refs.length < this.#pruneAt) return;
    this.#pruneAt = 2 * this.living().length + 10_000;
  }

  living(): T[] {
    this.#refs = this.#refs.filter((ref) => ref.deref() !== undefined);
    return this.#refs.map((ref) => ref.deref()).filter((object) => object !== undefined);
  }
}

const collections = new Register<Collection>();
const emitters = new Register<EventEmitter>();
const targets = new Register<EventTarget>();
const listened = new WeakMap<EventTarget, Set<string>>();

/** The same constructor, which notes what it makes. Node's own code has the original. */
function noting<T extends new (...args: never[]) => Collection>(kind: T): T {
  return new Proxy(kind, {
    construct(target, args, newTarget) {
      const made = Reflect.construct(target, args, newTarget) as Collection;
      collections.add(made);
      return made;
    },
  });
}

/**
 * From here on every Map, Set, EventEmitter and EventTarget that is made is counted, whoever makes it. So this module is
 * imported before those of the service.
 */
function install(): void {
  globalThis.Map = noting(Map);
  globalThis.Set = noting(Set);
  // Missing from Node's published types: every emitter calls it, however it is made.
  const base = EventEmitter as unknown as { init(this: EventEmitter, options: unknown): void };
  const { init } = base;
  base.init = function (options) {
    emitters.add(this);
    init.call(this, options);
  };
  emitters.add(process);
  const { addEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    const types = listened.get(this) ?? new PlainSet<string>();
    if (types.size === 0) targets.add(this);
    listened.set(this, types.add(type));
    addEventListener.call(this, type, ...rest);
  };
}

install();

/** What the process holds, as numbers. */
export type Counts = Record<string, number>;

const Timeout = (() => {
  const timer = setTimeout(() => {}, 0);
  clearTimeout(timer);
  return timer.constructor as new () => object;
})();

const total = (numbers: Iterable<number>): number => [...numbers].reduce((sum, number) => sum + number, 0);
const named = (key: unknown): string => (typeof key === 'string' ? key : String(key)).slice(0, 60);
const sizes = new WeakMap<Collection, number>();

/** The bytes of the heap, and of buffers beside it, that are still used after a collection. */
function memory(): Counts {
  const { heapUsed } = process.memoryUsage();
  return { 'heap bytes': heapUsed };
}

/** Counts what is left after a garbage collection. */
export async function takeCensus(): Promise<Counts> {
  // What a collection ends (finalizers, weak references) may let go of more.
  for (let pass = 0; pass < 2; pass++) {
    await new Promise(setImmediate);
    gc();
  }
  const found = collections.living();
  const resources = Object.groupBy(process.getActiveResourcesInfo(), (name) => name);
  const kinds = Object.entries(resources).filter(([name]) => name !== 'Immediate');
  return {
    ...memory(),
    'entries of maps': total(found.map((each) => (each instanceof PlainMap ? each.size : 0))),
    'entries of sets': total(found.map((each) => (each instanceof PlainSet ? each.size : 0))),
    'listeners of emitters': total(
      emitters
        .living()
        .map((each) => total(each.eventNames().map((name) => each.listenerCount(name as string)))),
    ),
    'listeners of targets': total(
      targets
        .living()
        .map((each) =>
          total([...(listened.get(each) ?? [])].map((type) => getEventListeners(each, type).length)),
        ),
    ),
    timers: queryObjects(Timeout, { format: 'count' }),
    sockets: emitters.living().filter((each) => each instanceof Socket && !each.destroyed).length,
    ...Object.fromEntries(kinds.map(([name, all]) => [`active ${name}`, all!.length])),
  };
}

/** The collections that have grown the most since the last call, with a few of their newest keys: for the report of a failure. */
export function growth(): string[] {
  const grown = collections.living().map((each) => {
    const by = each.size - (sizes.get(each) ?? 0);
    sizes.set(each, each.size);
    return { each, by };
  });
  return grown
    .filter(({ by }) => by > 0)
    .sort((a, b) => b.by - a.by)
    .slice(0, 8)
    .map(({ each, by }) => {
      const keys = [...each.keys()].slice(-3).map(named).join(', ');
      return `${each instanceof PlainMap ? 'Map' : 'Set'} of ${each.size}, ${by} more: ${keys}`;
    });
}

/**
 * The counts that grow by more than `allowed`: of the rounds' last third every one is above every one of the first third. A count that goes up and down does not, and
 * one that something is added to in each round does, however little.
 */
export function growing(rounds: readonly Counts[], allowed: number): string[] {
  const third = Math.max(1, Math.floor(rounds.length / 3));
  const names = new PlainSet(rounds.flatMap((counts) => Object.keys(counts)));
  names.delete('heap bytes');
  return [...names].flatMap((name) => {
    const series = rounds.map((counts) => counts[name] ?? 0);
    const grows = Math.min(...series.slice(-third)) > Math.max(...series.slice(0, third)) + allowed;
    return grows ? [`${name}: ${series.join(', ')}`] : [];
  });
}

/** By how many bytes the heap grows in a round: the slope of the line that fits best. */
export function heapSlope(rounds: readonly Counts[]): number {
  const heights = rounds.map((counts) => counts['heap bytes']!);
  const middle = (rounds.length - 1) / 2;
  const mean = total(heights) / heights.length;
  const above = total(heights.map((height, at) => (at - middle) * (height - mean)));
  return above / total(heights.map((_, at) => (at - middle) ** 2));
}
