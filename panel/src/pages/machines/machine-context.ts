import { createContext, useContext } from 'react';
import type { Vm } from '../../api/customer.ts';

export const MachineContext = createContext<Vm | undefined>(undefined);

/** The machine whose page this is; within its page it is there. */
export function useMachine(): Vm {
  const machine = useContext(MachineContext);
  if (!machine) throw new Error('useMachine is for the pages of a machine');
  return machine;
}
