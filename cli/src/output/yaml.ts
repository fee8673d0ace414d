import { safeJson } from '../../../shared/safe-text.ts';

/** Strings that YAML would read as another type are quoted as in JSON, which YAML understands. */
const PLAIN = /^[A-Za-z_][\w./-]*( [\w./-]+)*$/;
const WORDS = /^(true|false|yes|no|on|off|null|y|n)$/i;

export function yaml(value: unknown, indent = ''): string[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item) => {
      const [first, ...rest] = yaml(item, `${indent}  `);
      return [`${indent}- ${first!.trimStart()}`, ...rest];
    });
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, item]) => {
      const isNested = typeof item === 'object' && item !== null && Object.keys(item).length > 0;
      if (isNested) return [`${indent}${scalar(name)}:`, ...yaml(item, `${indent}  `)];
      return [`${indent}${scalar(name)}: ${scalar(item)}`];
    });
  return [`${indent}${scalar(value)}`];
}

function scalar(value: unknown): string {
  const isPlain = typeof value === 'string' && PLAIN.test(value) && !WORDS.test(value);
  return isPlain ? value : safeJson(value);
}
