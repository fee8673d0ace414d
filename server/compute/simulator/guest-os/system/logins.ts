import { addLog, addLogin } from './state.ts';
import type { System } from './system.ts';

/** Number of distinct terminals. A guest with more logins shows the last number several times. */
const MAX_TERMINALS = 64;

/** Records a login until `end` is called. Assigns a terminal unless `tty` is given. */
export async function recordLogin(
  system: System,
  user: string,
  from: string,
  tty?: string,
): Promise<{ tty: string; end(): Promise<void> }> {
  const at = system.now();
  let given = tty ?? '';
  await system.change((inside) => {
    const taken = new Set(
      inside.logins.filter((one) => one.until === null && one.at >= system.bootedAt).map((one) => one.tty),
    );
    let number = 0;
    while (taken.has(`pts/${number}`) && number < MAX_TERMINALS) number++;
    given = tty ?? `pts/${number}`;
    addLogin(inside, { user, tty: given, from, at, until: null });
    addLog(inside, {
      at,
      unit: 'ssh',
      pid: 612,
      text: `session opened for user ${user} on ${given} from ${from}`,
    });
  });
  return {
    tty: given,
    end: () =>
      system.change((inside) => {
        const login = inside.logins.find((one) => one.tty === given && one.at === at && one.until === null);
        if (login) login.until = system.now();
      }),
  };
}
