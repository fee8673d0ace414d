import type { Vm } from '../../../api/customer.ts';
import { useMay } from '../../../shell/site.ts';
import { useTexts } from '../../../texts.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { machineTexts } from '../texts.ts';
import classes from './terminal.module.css';

type View = 'terminal' | 'screen';

/**
 * Returns the URL of the console document. Only its content security policy allows the inline styles that a terminal
 * writes.
 */
export function consoleAddress({ id, hostname }: Pick<Vm, 'id' | 'hostname'>, view: View): string {
  return `/panel/terminal?${new URLSearchParams({ vm: id, name: hostname, view })}`;
}

export function ConsoleFrame({ vm, view, title }: { vm: Vm; view: View; title: string }) {
  const words = useTexts(machineTexts);
  const may = useMay('vm:console');
  if (!may) return <Notice>{words.viewer}</Notice>;
  return (
    <iframe
      className={classes.frame}
      title={title}
      src={consoleAddress(vm, view)}
      allow="clipboard-read; clipboard-write"
    />
  );
}
