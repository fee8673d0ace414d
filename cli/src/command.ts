import type { Client, Job, List, OPERATIONS } from '../../sdk/src/index.ts';
import type { Column } from './output/table.ts';
import type { Session } from './session.ts';

export type OperationId = keyof typeof OPERATIONS;

type Place<O extends OperationId> = (typeof OPERATIONS)[O];
type MethodOf<Resource, Name> = Name extends keyof Resource ? Resource[Name] : never;
type Method<O extends OperationId> = MethodOf<Client[Place<O>[0]], Place<O>[1]>;
type Reply<O extends OperationId> = Method<O> extends (...given: never[]) => infer R ? R : never;

/** The reply of an operation; for a list, one item. */
export type Answer<O extends OperationId> =
  Reply<O> extends List<infer Item, infer _Beside> | Promise<(infer Item)[]>
    ? Item
    : Reply<O> extends Promise<infer Value>
      ? Value
      : Reply<O> extends AsyncIterable<infer Event>
        ? Event
        : never;

/** The arguments of an operation: the ids of its path, and its fields by API name. */
export interface Call {
  ids: string[];
  input: Record<string, unknown>;
}

/** A confirmation before something that costs money or destroys data. */
export interface Question {
  /** The consequences, one per line. */
  lines: string[];
  ask: string;
  /** Fields that bind the call to what was shown, such as the highest charge. */
  bind?: Record<string, unknown>;
}

/** The parts of a command that are not generated from the operation's description. */
export interface Spec<A> {
  /** Fields that are given as positional arguments, in this order. */
  positional?: string[];
  /** Columns of a list; `wide` are the additional ones of `-o wide`. */
  columns?: Column<A>[];
  wide?: Column<A>[];
  /** Formats the other fields of a page as a line below the table. */
  footer?: (page: Record<string, unknown>) => string;
  /** Selects what to show of a reply that is not a list; by default all of it. */
  show?: (answer: A) => object;
  /** Asked unless `--yes` is given. */
  question?: (session: Session, call: Call) => Promise<Question>;
  /** Fetches what else a finished job has changed, besides the VM. */
  ended?: (session: Session, call: Call, answer: A) => Promise<object>;
  /** Replaces the request and the printing of its reply. */
  run?: (session: Session, call: Call) => Promise<void>;
  /** An example for the help text. */
  example: string;
}

export type AnySpec = Spec<never>;

/** The commands of one resource. */
export type Specs = { [O in OperationId]?: Spec<Answer<O>> };

/** Returns the job that a reply has started, if any. */
export function jobOf(answer: unknown): Job | undefined {
  return typeof answer === 'object' && answer !== null && 'job' in answer ? (answer.job as Job) : undefined;
}

/** Returns the words to type for a client method: "portForwards" and "add" are `port-forward add`. */
export function wordsOf(resource: string, name: string): [group: string, command: string] {
  const kebab = (text: string) => text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return [kebab(resource).replace(/s$/, ''), kebab(name)];
}
