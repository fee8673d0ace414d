import { type ReactNode, useId } from 'react';
import { defineTexts, useTexts } from '../texts.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { Form, type Props as FormProps } from './Form.tsx';

const texts = defineTexts({ cancel: 'Cancel' }, { cancel: 'Abbrechen' });

interface Props extends Pick<FormProps, 'children' | 'explain' | 'onSubmit'> {
  title: string;
  onClose: () => void;
  /** Defaults to true, for a dialog that is only rendered while it is open. */
  isOpen?: boolean;
  /** The label of the button: the action itself, such as "Add key". */
  submit: string;
  /** The mutation that the form submits. */
  change: { isPending: boolean; error: Error | null };
  wide?: boolean;
  /** Shown below the form: a preview of the result. */
  below?: ReactNode;
}

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
