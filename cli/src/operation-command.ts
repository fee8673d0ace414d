import { type Command, InvalidArgumentError } from 'commander';
import { type Job, type List, OPERATIONS, type Order, type Vm } from '../../sdk/src/index.ts';
import { type AnySpec, type Call, jobOf, type OperationId, type Spec, wordsOf } from './command.ts';
import { type Field, inputOf, optionsOf, withIds } from './fields.ts';
import { INPUTS } from './inputs.ts';
import type { Io } from './io.ts';
import { idOf } from './names.ts';
import { type DeedOptions, type GlobalOptions, Session } from './session.ts';

type Options = GlobalOptions & DeedOptions & { limit?: number; idempotencyKey?: string };
type LooseSpec = Spec<object> & { operation: OperationId };

/** The argument names of path variables. */
const ARGUMENTS: Record<string, string> = {
  sshkeys: 'ssh-key',
  snapshots: 'snapshot',
  firewall: 'rule',
  'port-forwarding': 'rule',
  'console-shares': 'share',
  tenants: 'tenant',
  targets: 'target',
  rules: 'rule',
  invoices: 'invoice',
};

const BEGINS_JOB =
  /^(create|delete|start|stop|force|reboot|reset|attach|change)(Vm|Snapshot|StopVm|Password|SshKey|Plan|Custom)$/;

const positive = (text: string) => {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Use a whole number above zero.');
  return Number(text);
};

export function addOperation(group: Command, anySpec: AnySpec & { operation: OperationId }, io: Io): void {
  const spec = anySpec as unknown as LooseSpec;
  const [resource, method, , , kind] = OPERATIONS[spec.operation];
  const inputs = INPUTS[spec.operation];
  const [, name] = wordsOf(resource, method);
  const command = group.command(name, { isDefault: spec.operation === 'runAgent' });
  command.description(inputs.summary);
  command.addHelpText('after', `\nRequires the scope ${inputs.scope}.\n\nExample:\n  $ ${spec.example}`);
  for (const variable of inputs.variables) command.argument(`<${ARGUMENTS[variable] ?? variable}>`);
  const { positional = [] } = spec;
  for (const field of positional) command.argument(argumentOf(field, inputs.fields[field]!));
  for (const [field, about] of Object.entries(inputs.fields))
    if (!positional.includes(field)) for (const option of optionsOf(field, about)) command.addOption(option);
  if (kind === 'list') command.option('--limit <n>', 'the maximum number of items; all by default', positive);
  if (spec.question) command.option('-y, --yes', 'do not ask for confirmation');
  if (kind === 'paid')
    command.option(
      '--idempotency-key <key>',
      'your name for this operation; a repetition with the same name is not executed again',
    );
  if (BEGINS_JOB.test(spec.operation)) {
    command.option('--wait', 'wait until it has finished');
    command.option('--wait-timeout <seconds>', 'stop waiting after this time', positive);
  }
  command.action(async (...given: unknown[]) => {
    const session = new Session(io, command.optsWithGlobals<GlobalOptions>());
    const words = given.slice(0, -2) as (string | undefined)[];
    await perform(session, spec, command, words);
  });
}

const argumentOf = (name: string, { required }: Field) => {
  const shown = name.replaceAll('_', '-');
  return required ? `<${shown}>` : `[${shown}]`;
};

async function perform(
  session: Session,
  spec: LooseSpec,
  command: Command,
  words: (string | undefined)[],
): Promise<void> {
  const inputs = INPUTS[spec.operation];
  const options = command.optsWithGlobals<Options>();
  const count = inputs.variables.length;
  const positional = (spec.positional ?? []).map((name, at): [string, string | undefined] => [
    name,
    words[count + at],
  ]);
  const input = await inputOf(session.io, command, inputs, Object.fromEntries(positional));
  const ids: string[] = [];
  for (const [at, variable] of inputs.variables.entries())
    ids.push(await idOf(session.client, variable, words[at]!, ids));
  await withIds(session.client, input, ids);
  const call: Call = { ids, input };
  if (spec.question && !options.yes) {
    const question = await spec.question(session, call);
    await session.confirm(question);
    Object.assign(input, { ...question.bind, ...input });
  }
  if (spec.run) return spec.run(session, call);
  const reply = send(session, spec, call, options);
  if (spec.columns) return printList(session, spec, reply as List<object>, options);
  const answer = await finished(session, spec, call, (await reply) as object, options);
  session.printer.thing(answer, spec.show?.(answer) ?? answer);
}

/** Calls the client method of the operation. */
export function send(
  { client, io }: Session,
  { operation }: Pick<LooseSpec, 'operation'>,
  { ids, input }: Call,
  { limit, idempotencyKey }: Pick<Options, 'limit' | 'idempotencyKey'> = {},
): unknown {
  const [resource, method, , , kind, takes] = OPERATIONS[operation];
  const page = kind === 'list' ? { limit: Math.min(limit ?? 100, 100) } : {};
  const given = takes === 'nothing' ? [] : [{ ...page, ...input }];
  const options = { signal: io.signal, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const methods = client[resource] as unknown as Record<string, (...given: unknown[]) => unknown>;
  return methods[method]!(...ids, ...given, options);
}

/** Returns the reply; with `--wait`, after its job has ended. */
async function finished(
  session: Session,
  spec: LooseSpec,
  call: Call,
  answer: object,
  options: Options,
): Promise<object> {
  const job = jobOf(answer);
  if (!job || !options.wait) return answer;
  const vm: Vm | undefined = await session.waitFor(job, options);
  const done: Job = { ...job, status: 'succeeded', progress: 100 };
  const ended = vm?.last_job?.id === job.id ? vm.last_job : done;
  const changed = { ...(await paid(session, answer)), ...(await spec.ended?.(session, call, answer)) };
  return { ...answer, ...('vm' in answer && vm && { vm }), ...changed, job: ended };
}

/** Returns the order of a reply in its state after the job. */
async function paid({ client, io }: Session, answer: object): Promise<object> {
  if (!('order' in answer)) return {};
  const { id, vm_id } = answer.order as Order;
  const { data } = await client.billing.orders({ vm_id: vm_id!, limit: 100 }, { signal: io.signal }).page();
  const order = data.find((one) => one.id === id);
  return order ? { order } : {};
}

async function printList(
  session: Session,
  { columns, wide, footer }: LooseSpec,
  list: List<object>,
  { limit = Number.POSITIVE_INFINITY }: Options,
): Promise<void> {
  // The only list without pages; it is short.
  if (list instanceof Promise) return session.printer.list(await list, { columns: columns!, wide });
  const items: object[] = [];
  let last: string | undefined;
  for await (const page of list.pages()) {
    items.push(...page.data);
    last = footer?.(page as unknown as Record<string, unknown>);
    if (items.length >= limit) break;
  }
  session.printer.list(items.slice(0, limit), { columns: columns!, wide, footer: last });
}
