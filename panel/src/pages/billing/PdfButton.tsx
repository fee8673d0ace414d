import { useState } from 'react';
import { addressOf, answerOf } from '../../api/client.ts';
import { save } from '../../save.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { announce } from '../../ui/Status.tsx';
import { texts } from './texts.ts';

/**
 * Downloads an invoice as PDF. A plain link cannot, because the PDF has the invoice's own URL and needs another Accept
 * header.
 */
export function PdfButton({ id, number, small }: { id: string; number: string; small?: boolean }) {
  const t = useTexts(texts);
  const [isPending, setPending] = useState(false);
  const download = async () => {
    setPending(true);
    try {
      const response = await fetch(addressOf('getInvoice', { params: { id } }), {
        headers: { accept: 'application/pdf' },
      });
      if (!response.ok) await answerOf(response);
      save(await response.blob(), `${number}.pdf`);
    } catch {
      announce(t.pdfFailed, 'bad');
    } finally {
      setPending(false);
    }
  };
  return (
    <Button
      look={small ? 'quiet' : 'normal'}
      icon="download"
      isPending={isPending}
      onPress={download}
      label={`${t.pdf} ${number}`}
    >
      {t.pdf}
    </Button>
  );
}
