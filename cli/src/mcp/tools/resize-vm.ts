import { EXIT, Failure } from '../../failure.ts';
import { idOf } from '../../names.ts';
import { changeOfSize } from '../../questions.ts';
import { confirmed } from '../confirmed.ts';
import { inputOf, VM } from '../tool.ts';

interface Terms {
  id: string;
  bind: Record<string, unknown>;
  idempotencyKey: string;
}

const custom = inputOf({}, 'changeCustom', ['vcpu', 'ram_mb', 'disk_gb', 'allow_reboot']);
const plan = inputOf(VM, 'getPlanQuote', ['plan', 'resize_disk']);

export const resizeVm = confirmed<Terms>({
  preview: {
    name: 'quote_resize',
    title: 'Quote another size',
    description:
      'What it costs or gives back to bring a VM to another plan or custom size; needed before resize_vm.',
    scopes: ['vm:read'],
  },
  action: {
    name: 'resize_vm',
    title: 'Change the size of a VM',
    description:
      'Brings a VM to another plan, or to a custom size, for no more than quote_resize has shown. A running VM is power-cycled, which allow_reboot must allow.',
    scopes: ['vm:plan'],
  },
  input: { ...plan, properties: { ...plan.properties, ...custom.properties } },
  async look({ session, client }, { vm, ...input }) {
    const id = await idOf(client, 'vm', vm as string, []);
    const { vcpu, ram_mb, disk_gb } = input;
    const isCustom = [vcpu, ram_mb, disk_gb].some((size) => size !== undefined);
    if (isCustom === (input.plan !== undefined))
      throw new Failure(EXIT.wronglyCalled, 'Give a plan, or parts of a custom size: one of both.');
    const { lines, bind } = await changeOfSize(session, { ids: [id], input });
    return {
      data: { vm_id: id, lines, ...bind },
      terms: { id, bind: bind!, idempotencyKey: `mcp-${crypto.randomUUID()}` },
    };
  },
  act({ client, signal }, { vm: _, ...input }, { id, bind, idempotencyKey }) {
    const options = { signal, idempotencyKey };
    const body = { ...input, ...bind } as never;
    return input.plan === undefined
      ? client.vms.changeCustom(id, body, options)
      : client.vms.changePlan(id, body, options);
  },
});
