import { type ReactNode, useId } from 'react';
import { defineTexts, useTexts } from '../texts.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { Form, type Props as FormProps } from './Form.tsx';

const texts = defineTexts({ cancel: 'Cancel' }, { cancel: 'Abbrechen' });

interface Props extends Pick<FormProps, 'children' | 'explain' | 'onSubmit'> {
  title: string;
  onClose: () => void;
  /** Closed where false; open when absent, for a window that is there only while it is wanted. */
  isOpen?: boolean;
  /** What the button says: the action itself, such as "Add key". */
  submit: string;
  /** What sends it. */
  change: { isPending: boolean; error: Error | null };
  wide?: boolean;
  /** Below the form: what would come of it. */
  below?: ReactNode;
}

/** A window with a form, which is sent by the button at its lower edge. */
export function FormDialog(props: Props) {
  const { title, onClose, isOpen = true, submit, change, wide, below, ...form } = props;
  const t = useTexts(texts);
  const id = useId();
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      wide={wide}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{t.cancel}</Button>
          <Button look="main" type="submit" form={id} isPending={change.isPending}>
            {submit}
          </Button>
        </>
      }
    >
      <Form id={id} error={change.error} {...form} />
      {below}
    </Dialog>
  );
}
