import type { ReactNode } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { Brand } from './Brand.tsx';
import classes from './Drawer.module.css';
import { shellTexts } from './shell-texts.ts';

export function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const t = useTexts(shellTexts);
  return (
    <ModalOverlay
      className={classes.overlay!}
      isOpen
      onOpenChange={(open) => open || onClose()}
      isDismissable
    >
      <Modal className={classes.drawer!}>
        <AriaDialog aria-label={t.menu} className={classes.body!}>
          <div className={classes.head}>
            <Brand />
            <Button look="quiet" icon="cross" label={t.close} onPress={onClose} />
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
