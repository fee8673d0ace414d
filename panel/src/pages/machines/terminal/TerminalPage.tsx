import { useTexts } from '../../../texts.ts';
import { buttonClass } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Empty, Stack } from '../../../ui/Page.tsx';
import { hasTerminal } from '../actions.ts';
import { useMachine } from '../machine-context.ts';
import { ConsoleFrame, consoleAddress } from './ConsoleFrame.tsx';
import { Shares } from './Shares.tsx';
import classes from './terminal.module.css';
import { terminalTexts } from './texts.ts';

export function TerminalPage() {
  const t = useTexts(terminalTexts);
  const vm = useMachine();
  return (
    <Stack>
      {hasTerminal(vm) ? (
        <>
          <ConsoleFrame vm={vm} view="terminal" title={t.terminalOf(vm.hostname)} />
          <p className={classes.below}>
            <a className={buttonClass()} href={consoleAddress(vm, 'terminal')} target="_blank" rel="noopener">
              <Icon name="external" />
              {t.ownTab}
            </a>
            <span>
              {t.opsKey} {t.leave}
            </span>
          </p>
        </>
      ) : (
        <Empty title={t.offTitle}>{t.terminalOff}</Empty>
      )}
      <Shares vm={vm} />
    </Stack>
  );
}
