import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { FormActions } from '../../ui/Form.tsx';
import { Notice, Problem } from '../../ui/Notice.tsx';
import { Card, Columns } from '../../ui/Page.tsx';
import { texts } from '../texts.ts';
import { isMonth, MonthField } from './MonthField.tsx';

export function Books() {
  const t = useTexts(texts);
  const audit = useChange('operator.auditBooks');
  const [month, setMonth] = useState(() => new Date().toISOString().slice(0, 7));
  const { data: report } = audit;
  return (
    <Columns>
      <Card
        title={t.audit}
        actions={
          <Button isPending={audit.isPending} onPress={() => audit.mutate({})}>
            {t.auditGo}
          </Button>
        }
      >
        <p>{t.auditWhy}</p>
        {audit.error && <Problem error={audit.error} />}
        {report && (
          <Notice kind={report.findings.length === 0 ? 'ok' : 'bad'}>
            {report.findings.length === 0
              ? t.auditGood(report.laws, report.accounts)
              : report.findings.map(({ law, what }) => <p key={what}>{`${law}: ${what}`}</p>)}
          </Notice>
        )}
      </Card>
      <Card title={t.bookings}>
        <MonthField label={t.month_of} value={month} onChange={setMonth} />
        {isMonth(month) && (
          <FormActions>
            {(['csv', 'datev'] as const).map((format) => (
              <a
                key={format}
                className={buttonClass()}
                href={`/operator/api/bookings?month=${month}&format=${format}`}
                download={`bookings-${month}.${format}.csv`}
              >
                {format.toUpperCase()}
              </a>
            ))}
          </FormActions>
        )}
      </Card>
    </Columns>
  );
}
