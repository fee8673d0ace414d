/** The actions that a machine's state allows. The service decides; this only avoids buttons that it would refuse. */

export const POWER_ACTIONS = ['start', 'stop', 'reboot', 'force-stop'] as const;
export type PowerAction = (typeof POWER_ACTIONS)[number];

export interface MachineState {
  status: string;
  locked: boolean;
  active_job: { kind: string } | null;
}

const ALLOWED_IN: Record<PowerAction, readonly string[]> = {
  start: ['stopped', 'error'],
  stop: ['running'],
  reboot: ['running'],
  'force-stop': ['running', 'starting', 'stopping', 'rebooting', 'error'],
};

/** A forced stop ends these jobs; during any other job it has to wait like the other actions. */
const PRE_EMPTED = ['stop', 'reboot'];

/** Returns whether the service would accept the action now. */
export function canDo(action: PowerAction, { status, locked, active_job }: MachineState): boolean {
  if (!ALLOWED_IN[action].includes(status)) return false;
  return !locked || (action === 'force-stop' && PRE_EMPTED.includes(active_job?.kind ?? ''));
}

/** Returns the machines for which the service would accept the action now. */
export const thoseThatCan = <T extends MachineState>(action: PowerAction, machines: readonly T[]) =>
  machines.filter((machine) => canDo(action, machine));

const CONSOLE_STATES = ['running', 'starting', 'stopping', 'rebooting'];

export const hasScreen = ({ status }: MachineState) => CONSOLE_STATES.includes(status);
export const hasTerminal = ({ status }: MachineState) => status === 'running';
export const canSnapshot = ({ status, locked }: MachineState) =>
  !locked && (status === 'running' || status === 'stopped');
export const canConfigure = ({ status }: MachineState) => status !== 'deleting' && status !== 'suspended';
