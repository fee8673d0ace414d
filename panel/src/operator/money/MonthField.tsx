import { Field } from '../../ui/Field.tsx';

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;

/** Returns whether the text is a month: browsers without a month picker accept any text. */
export const isMonth = (text: string): boolean => MONTH.test(text);

export function MonthField(props: { label: string; value: string; onChange: (month: string) => void }) {
  return <Field {...props} type="month" placeholder="2026-01" autoComplete="off" />;
}
