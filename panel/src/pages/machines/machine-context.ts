import { createContext, useContext } from 'react';
import type { VM } from '../../api/customer.ts';

export const MachineContext = createContext<VM | undefined>(undefined);

/** The machine whose page this is; within its page it is there. */
export function useMachine(): VM {
  const machine = useContext(MachineContext);
  if (!machine) throw new Error('useMachine is for the pages of a machine');
  return machine;
}
