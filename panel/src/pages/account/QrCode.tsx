import { useMemo } from 'react';
import classes from './QrCode.module.css';
import { qrCode } from './qr/qr-code.ts';

/** The white edge that readers need, in modules. */
const EDGE = 4;

/** A text for the camera of a phone. Dark on white in both themes: many readers know nothing else. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => {
    const modules = qrCode(text);
    const path = modules
      .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + EDGE} ${y + EDGE}h1v1h-1z`] : [])))
      .join('');
    return { path, size: modules.length + 2 * EDGE };
  }, [text]);
  return (
    <svg className={classes.code} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}
