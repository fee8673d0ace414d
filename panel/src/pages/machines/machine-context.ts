import { createContext, useContext } from 'react';
import type { Vm } from '../../api/customer.ts';

export const MachineContext = createContext<Vm | undefined>(undefined);

/** Returns the machine that the page shows. Throws outside the pages of a machine. */
export function useMachine(): Vm {
  const machine = useContext(MachineContext);
  if (!machine) throw new Error('useMachine is for the pages of a machine');
  return machine;
}
