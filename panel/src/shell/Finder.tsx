import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import classes from './Shell.module.css';
import { shellTexts } from './shell-texts.ts';

/** Opens the palette, its child, with a button or with ⌘K, Ctrl K and, outside of fields, a slash. */
export function Finder({ children }: { children: (close: () => void) => ReactNode }) {
  const t = useTexts(shellTexts);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]');
      const isCommand = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey;
      if (!isCommand && !(event.key === '/' && !isTyping)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent);
  return (
    <>
      <button type="button" className={classes.find} onClick={() => setOpen(true)}>
        <span>{t.find}</span>
        <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <div className={classes.findSmall}>
        <Button look="quiet" icon="search" label={t.findShort} onPress={() => setOpen(true)} />
      </div>
      {isOpen && <Suspense>{children(() => setOpen(false))}</Suspense>}
    </>
  );
}
