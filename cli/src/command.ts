import type { Client, Job, List, OPERATIONS } from '../../sdk/src/index.ts';
import type { Column } from './output/table.ts';
import type { Session } from './session.ts';

/** An operation of the API, by its name there. */
export type OperationId = keyof typeof OPERATIONS;

type Place<O extends OperationId> = (typeof OPERATIONS)[O];
type MethodOf<Resource, Name> = Name extends keyof Resource ? Resource[Name] : never;
type Method<O extends OperationId> = MethodOf<Client[Place<O>[0]], Place<O>[1]>;
type Reply<O extends OperationId> = Method<O> extends (...given: never[]) => infer R ? R : never;

/** What an operation answers; of a list an item. */
export type Answer<O extends OperationId> =
  Reply<O> extends List<infer Item, infer _Beside> | Promise<(infer Item)[]>
    ? Item
    : Reply<O> extends Promise<infer Value>
      ? Value
      : Reply<O> extends AsyncIterable<infer Event>
        ? Event
        : never;

/** What an operation is called with: the ids in its path, and its fields by their names in the API. */
export interface Call {
  ids: string[];
  input: Record<string, unknown>;
}

/** What is asked before something that costs or destroys. */
export interface Question {
  /** What would happen, a line each. */
  lines: string[];
  ask: string;
  /** Fields that bind the call to what was shown, such as the highest charge. */
  bind?: Record<string, unknown>;
}

/** How an operation is a command: what is not made of its description. */
export interface Spec<A> {
  operation: OperationId;
  /** Fields that are given without the name of an option, in this order. */
  positional?: string[];
  /** Columns of a list, and those that `-o wide` adds. */
  columns?: Column<A>[];
  wide?: Column<A>[];
  /** What stands beside the items of a page, as a line below the table. */
  footer?: (page: Record<string, unknown>) => string;
  /** What people are shown of an answer that is no list; all of it when absent. */
  show?: (answer: A) => object;
  /** Asked unless `--yes` is given. */
  question?: (session: Session, call: Call) => Promise<Question>;
  /** What is different once the job of an answer has ended, besides its VM. */
  ended?: (session: Session, call: Call, answer: A) => Promise<object>;
  /** In place of one request and its answer. */
  run?: (session: Session, call: Call) => Promise<void>;
  /** What is typed, and shown in the help. */
  example: string;
}

export type AnySpec = Spec<never>;

/** The command of an operation. */
export function command<O extends OperationId>(
  operation: O,
  spec: Omit<Spec<Answer<O>>, 'operation'>,
): Spec<Answer<O>> {
  return { operation, ...spec };
}

/** The job that an answer has begun, if any. */
export function jobOf(answer: unknown): Job | undefined {
  return typeof answer === 'object' && answer !== null && 'job' in answer ? (answer.job as Job) : undefined;
}

/** "portForwards" and "add" are `port-forward add`: the names of the client, as they are typed. */
export function wordsOf(resource: string, name: string): [group: string, command: string] {
  const kebab = (text: string) => text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return [kebab(resource).replace(/s$/, ''), kebab(name)];
}
