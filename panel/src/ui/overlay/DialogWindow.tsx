import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { defineTexts, useTexts } from '../../texts.ts';
import { Button } from '../Button.tsx';
import type { Props } from '../Dialog.tsx';
import classes from './DialogWindow.module.css';

const texts = defineTexts({ close: 'Close' }, { close: 'Schließen' });

/** The window of an open {@link Dialog}. */
export function DialogWindow({ title, isOpen, onClose, children, footer, wide, isKept }: Props) {
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
