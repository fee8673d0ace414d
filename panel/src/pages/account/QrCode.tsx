import { useMemo } from 'react';
import classes from './QrCode.module.css';
import { qrCode } from './qr/qr-code.ts';

/** The quiet zone that readers need, in modules. */
const EDGE = 4;

/** A QR code. Dark on white in both themes: many readers recognize nothing else. */
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
