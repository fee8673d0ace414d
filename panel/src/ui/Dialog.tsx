import { lazy, type ReactNode, Suspense, useState } from 'react';
import { defineTexts, useTexts } from '../texts.ts';
import { Button } from './Button.tsx';
import { Field } from './Field.tsx';
import { Problem } from './Notice.tsx';

/**
 * Loaded when the first dialog opens: trapping the focus and locking the scroll position take a fifth of all scripts.
 */
const Window = lazy(() =>
  import('./overlay/DialogWindow.tsx').then(({ DialogWindow }) => ({ default: DialogWindow })),
);

const texts = defineTexts(
  { cancel: 'Cancel', type: (word: string) => `Type ${word} to confirm` },
  { cancel: 'Abbrechen', type: (word: string) => `Zur Bestätigung ${word} eingeben` },
);

export interface Props {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
  /** For a table or lines of code. */
  wide?: boolean;
  /** Only its buttons close the dialog, because closing loses something, such as a secret that is shown once. */
  isKept?: boolean;
}

export function Dialog(props: Props) {
  if (!props.isOpen) return null;
  return (
    <Suspense>
      <Window {...props} />
    </Suspense>
  );
}

/** Asks before something that cannot be undone, and names what is lost. With `word`, that word must be typed. */
export function ConfirmDialog({
  title,
  isOpen,
  onClose,
  children,
  confirm,
  onConfirm,
  isPending,
  error,
  word,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** The label of the button: the action itself, such as "Revoke key". */
  confirm: string;
  onConfirm: () => void;
  isPending?: boolean;
  error?: Error | null;
  word?: string;
}) {
  const t = useTexts(texts);
  const [typed, setTyped] = useState('');
  const close = () => {
    setTyped('');
    onClose();
  };
  const isReady = word === undefined || typed === word;
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={close}
      footer={
        <>
          <Button onPress={close}>{t.cancel}</Button>
          <Button look="danger" isPending={isPending} isDisabled={!isReady} onPress={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    >
      {error && <Problem error={error} />}
      {children}
      {word !== undefined && (
        <Field label={t.type(word)} value={typed} onChange={setTyped} autoComplete="off" mono />
      )}
    </Dialog>
  );
}
