import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { Vm } from '../../api/customer.ts';
import type { PowerAction } from './actions.ts';

const OPERATION = {
  start: 'startVm',
  stop: 'stopVm',
  reboot: 'rebootVm',
  'force-stop': 'forceStopVm',
} as const;
/** Concurrent requests: enough for many machines to take moments, without using up the rate limit. */
const AT_ONCE = 4;

export interface PowerResult {
  done: Vm[];
  failed: { machine: Vm; error: Error }[];
}

/** Applies a power action to one or more machines. A failure of one does not stop the others. */
export function usePower() {
  const client = useQueryClient();
  return useMutation({
    mutationKey: ['power'],
    mutationFn: async ({ action, machines }: { action: PowerAction; machines: readonly Vm[] }) => {
      const result: PowerResult = { done: [], failed: [] };
      const left = [...machines];
      const worker = async () => {
        for (let machine = left.shift(); machine; machine = left.shift()) {
          try {
            const { vm } = await call(OPERATION[action], { params: { id: machine.id } });
            client.setQueryData(['getVm', { params: { id: vm.id } }], vm);
            result.done.push(vm);
          } catch (error) {
            result.failed.push({ machine, error: error as Error });
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      return result;
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ['machines'] });
      await client.invalidateQueries({ queryKey: ['listVms'] });
      await client.invalidateQueries({ queryKey: ['listJobs'] });
    },
  });
}
