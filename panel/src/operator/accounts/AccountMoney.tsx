import { useTexts } from '../../texts.ts';
import { Section, Stack } from '../../ui/Page.tsx';
import { Invoices } from './Invoices.tsx';
import { Corrections, Statement } from './Moves.tsx';
import { Orders } from './Orders.tsx';
import { PromoCredits } from './PromoCredits.tsx';
import { accountTexts } from './texts.ts';
import { useAccountId } from './use-account.ts';

export function AccountMoney() {
  const t = useTexts(accountTexts);
  const id = useAccountId();
  return (
    <Stack>
      <Section title={t.orders} description={t.ordersWhy}>
        <Orders id={id} />
      </Section>
      <Section title={t.invoices}>
        <Invoices id={id} />
      </Section>
      <Section title={t.promos}>
        <PromoCredits id={id} />
      </Section>
      <Section title={t.corrections} description={t.correctionsWhy}>
        <Corrections id={id} />
      </Section>
      <Section title={t.statement} description={t.statementWhy}>
        <Statement id={id} />
      </Section>
    </Stack>
  );
}
