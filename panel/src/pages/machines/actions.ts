/** What a machine's state allows; the service decides, this only keeps buttons from promising what it would refuse. */

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

/** Jobs that a forced stop ends; beside any other it waits as the rest do. */
const PRE_EMPTED = ['stop', 'reboot'];

/** Whether the machine can be asked for it now. */
export function canDo(action: PowerAction, { status, locked, active_job }: MachineState): boolean {
  if (!ALLOWED_IN[action].includes(status)) return false;
  return !locked || (action === 'force-stop' && PRE_EMPTED.includes(active_job?.kind ?? ''));
}

/** The machines of a selection that can be asked for it. */
export const thoseThatCan = <T extends MachineState>(action: PowerAction, machines: readonly T[]) =>
  machines.filter((machine) => canDo(action, machine));

const CONSOLE_STATES = ['running', 'starting', 'stopping', 'rebooting'];

export const hasScreen = ({ status }: MachineState) => CONSOLE_STATES.includes(status);
export const hasTerminal = ({ status }: MachineState) => status === 'running';
export const canSnapshot = ({ status, locked }: MachineState) =>
  !locked && (status === 'running' || status === 'stopped');
export const canConfigure = ({ status }: MachineState) => status !== 'deleting' && status !== 'suspended';
