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
    title: 'Quote a plan change or resize',
    description:
      'Shows the charge or refund for changing the plan of a VM or resizing it to a custom size; required before resize_vm.',
    scopes: ['vm:read'],
  },
  action: {
    name: 'resize_vm',
    title: 'Change the plan of a VM or resize it',
    description:
      'Changes the plan of a VM or resizes it to a custom size, for no more than the price shown by quote_resize. A running VM is power-cycled, which allow_reboot must allow.',
    scopes: ['vm:plan'],
  },
  input: { ...plan, properties: { ...plan.properties, ...custom.properties } },
  async look({ session, client }, { vm, ...input }) {
    const id = await idOf(client, 'vm', vm as string, []);
    const { vcpu, ram_mb, disk_gb } = input;
    const isCustom = [vcpu, ram_mb, disk_gb].some((size) => size !== undefined);
    if (isCustom === (input.plan !== undefined))
      throw new Failure(EXIT.wronglyCalled, 'Give either a plan or parts of a custom size.');
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
