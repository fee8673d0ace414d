import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { onConfirmationNeeded } from '../api/confirmation.ts';

const ConfirmationForm = lazy(() =>
  import('./ConfirmationForm.tsx').then(({ ConfirmationForm }) => ({ default: ConfirmationForm })),
);

/** Asks for another sign-in whenever an operation requires one, then lets it continue. */
export function Confirmation() {
  const [isOpen, setOpen] = useState(false);
  const answer = useRef<(confirmed: boolean) => void>(undefined);
  useEffect(() => {
    onConfirmationNeeded(() => {
      setOpen(true);
      return new Promise((resolve) => {
        answer.current = resolve;
      });
    });
  }, []);
  const end = (confirmed: boolean) => {
    setOpen(false);
    answer.current?.(confirmed);
  };
  if (!isOpen) return null;
  return (
    <Suspense>
      <ConfirmationForm onEnd={end} />
    </Suspense>
  );
}
