import { type ReactNode, useState } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { defineTexts, useTexts } from '../texts.ts';
import { Button } from './Button.tsx';
import classes from './Dialog.module.css';
import { Field } from './Field.tsx';
import { Problem } from './Notice.tsx';

const texts = defineTexts(
  { close: 'Close', cancel: 'Cancel', type: (word: string) => `Type ${word} to confirm` },
  { close: 'Schließen', cancel: 'Abbrechen', type: (word: string) => `Zur Bestätigung ${word} eingeben` },
);

export interface Props {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** The buttons at the lower edge. */
  footer?: ReactNode;
  /** Wider, for a table or lines of code. */
  wide?: boolean;
  /** Holds what is lost when it closes, such as a secret that is shown once: only its buttons close it. */
  isKept?: boolean;
}

/** A window in front of the page, which waits meanwhile. */
export function Dialog({ title, isOpen, onClose, children, footer, wide, isKept }: Props) {
  const t = useTexts(texts);
  return (
    <ModalOverlay
      className={classes.overlay!}
      isOpen={isOpen}
      onOpenChange={(open) => open || onClose()}
      isDismissable={!isKept}
      isKeyboardDismissDisabled={isKept}
    >
      <Modal className={`${classes.modal} ${wide ? classes.wide : ''}`}>
        <AriaDialog className={classes.dialog!}>
          <header className={classes.header}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {!isKept && <Button look="quiet" icon="cross" label={t.close} onPress={onClose} />}
          </header>
          <div className={classes.body}>{children}</div>
          {footer && <footer className={classes.footer}>{footer}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Asks before something that cannot be undone, and names what is lost; with `word`, that has to be typed. */
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
  /** What the button says: the deed itself, such as "Revoke key". */
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
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={close}
      footer={
        <>
          <Button onPress={close}>{t.cancel}</Button>
          <Button
            look="danger"
            isPending={isPending}
            isDisabled={word !== undefined && typed !== word}
            onPress={onConfirm}
          >
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
