import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { defineTexts, useTexts } from '../texts.ts';
import { Button } from './Button.tsx';
import classes from './Loaded.module.css';
import { Problem } from './Notice.tsx';

const texts = defineTexts(
  { loading: 'Loading', again: 'Try again' },
  { loading: 'Wird geladen', again: 'Noch einmal versuchen' },
);

export function Skeleton({ lines = 4 }: { lines?: number }) {
  const t = useTexts(texts);
  return (
    <div className={classes.skeleton} role="status" aria-label={t.loading}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else.
        <span key={index} />
      ))}
    </div>
  );
}

type Some<Value> = Pick<UseQueryResult<Value>, 'data' | 'error' | 'refetch'>;

/** Renders the data of a query, a skeleton while it loads, or its error. Older data stays visible during a refetch. */
export function Loaded<Value>({
  query,
  children,
  lines,
}: {
  query: Some<Value>;
  children: (value: Value) => ReactNode;
  lines?: number;
}) {
  const t = useTexts(texts);
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error) return <Problem error={error} action={<Button onPress={() => refetch()}>{t.again}</Button>} />;
  return <Skeleton lines={lines} />;
}
