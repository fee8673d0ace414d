import { useMemo } from 'react';
import { encode } from 'uqr';
import classes from './QrCode.module.css';

/** The quiet zone that readers need, in modules. */
const BORDER = 4;

/** A QR code. Dark on white in both themes: many readers recognize nothing else. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'M', border: BORDER });
    const path = data
      .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
      .join('');
    return { path, size };
  }, [text]);
  return (
    <svg className={classes.code} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}
