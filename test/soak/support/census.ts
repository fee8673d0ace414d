import { EventEmitter, getEventListeners } from 'node:events';
import { Socket } from 'node:net';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** The original constructors: the census must not count its own collections. */
const PlainMap = Map;
const PlainSet = Set;

type Collection = Map<unknown, unknown> | Set<unknown>;

/** Counts objects for as long as something else references them. */
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

/** Returns the same constructor, which also registers its objects. Node's own code keeps the original. */
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
 * From here on every new Map, Set, EventEmitter and EventTarget is counted. This module must therefore be imported
 * before those of the service.
 */
function install(): void {
  globalThis.Map = noting(Map);
  globalThis.Set = noting(Set);
  // Missing from Node's published types: every emitter calls it, whichever way it is created.
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

export type Counts = Record<string, number>;

const Timeout = (() => {
  const timer = setTimeout(() => {}, 0);
  clearTimeout(timer);
  return timer.constructor as new () => object;
})();

const total = (numbers: Iterable<number>): number => [...numbers].reduce((sum, number) => sum + number, 0);
const named = (key: unknown): string => (typeof key === 'string' ? key : String(key)).slice(0, 60);
const sizes = new WeakMap<Collection, number>();

/** The bytes that remain in use after a collection, on the heap and in external buffers. */
function memory(): Counts {
  const { heapUsed } = process.memoryUsage();
  return { 'heap bytes': heapUsed };
}

/** Counts everything that survives a garbage collection. */
export async function takeCensus(): Promise<Counts> {
  // Finalizers and weak references that a collection clears may release more objects.
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

/**
 * Returns the collections that have grown the most since the last call, with a few of their newest keys, for the
 * message of a failure.
 */
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
 * Returns the counts that grow by more than `allowed`: every value in the last third of the rounds is above every value
 * in the first third. A count that fluctuates does not qualify, but one that grows in each round does, however slowly.
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

/** Returns the growth of the heap in bytes per round: the slope of a least-squares line. */
export function heapSlope(rounds: readonly Counts[]): number {
  const heights = rounds.map((counts) => counts['heap bytes']!);
  const middle = (rounds.length - 1) / 2;
  const mean = total(heights) / heights.length;
  const above = total(heights.map((height, at) => (at - middle) * (height - mean)));
  return above / total(heights.map((_, at) => (at - middle) ** 2));
}
