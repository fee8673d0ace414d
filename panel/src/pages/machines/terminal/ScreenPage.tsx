import { useTexts } from '../../../texts.ts';
import { buttonClass } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Empty, Stack } from '../../../ui/Page.tsx';
import { hasScreen } from '../actions.ts';
import { useMachine } from '../machine-context.ts';
import { ConsoleFrame, consoleAddress } from './ConsoleFrame.tsx';
import classes from './terminal.module.css';
import { terminalTexts } from './texts.ts';

export function ScreenPage() {
  const t = useTexts(terminalTexts);
  const vm = useMachine();
  if (!hasScreen(vm)) return <Empty title={t.offTitle}>{t.screenOff}</Empty>;
  return (
    <Stack>
      <ConsoleFrame vm={vm} view="screen" title={t.screenOf(vm.hostname)} />
      <p className={classes.below}>
        <a className={buttonClass()} href={consoleAddress(vm, 'screen')} target="_blank" rel="noopener">
          <Icon name="external" />
          {t.ownTab}
        </a>
        <span>
          {t.screenIs} {t.leave}
        </span>
      </p>
    </Stack>
  );
}
