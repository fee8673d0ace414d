import type { AnySpec, OperationId } from '../command.ts';
import { agent } from './agent.ts';
import { billing } from './billing.ts';
import { catalog } from './catalog.ts';
import { console } from './console.ts';
import { consoleShare } from './console-share.ts';
import { firewall } from './firewall.ts';
import { portForward } from './port-forward.ts';
import { shield } from './shield.ts';
import { snapshot } from './snapshot.ts';
import { sshKey } from './ssh-key.ts';
import { vm } from './vm.ts';

/** The command of each operation. A missing one is a compile error. */
export const COMMANDS: Record<OperationId, AnySpec> = {
  ...catalog,
  ...vm,
  ...firewall,
  ...portForward,
  ...snapshot,
  ...sshKey,
  ...console,
  ...consoleShare,
  ...agent,
  ...billing,
  ...shield,
};
