import { type FormEvent, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { ApiError } from '../api/errors.ts';
import { fieldText } from '../problems.ts';
import { type Language, useLanguage } from '../settings.ts';
import classes from './Form.module.css';
import { FormProblems } from './form-problems.ts';
import { Problem } from './Notice.tsx';

export interface Props {
  children: ReactNode;
  onSubmit: (values: FormData) => void;
  /** The error of the last submission. */
  error?: Error | null;
  /** Explains an error that names no field; the service's message by default. */
  explain?: (error: Error) => ReactNode;
  id?: string;
  /** Fields side by side if there is enough space. */
  inline?: boolean;
}

/** A form that shows the service's problems at its fields. Problems of other fields are shown above. */
export function Form({ children, onSubmit, error, explain, id, inline }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const fields = error instanceof ApiError ? error.fields : [];
  // A problem with an element of a list, such as `cidrs.2`, is shown at the field of the list.
  const language = useLanguage();
  const problems = useMemo(() => problemsOf(error, language), [error, language]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(new FormData(event.currentTarget));
  };
  // Moves the focus to the first invalid field, for people who cannot see the page.
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const unnamed = fields.filter(({ field }) => !hasField(form.current, field));
  const isGeneral = error && (fields.length === 0 || unnamed.length > 0);
  return (
    <form
      ref={form}
      id={id}
      className={inline ? classes.inline : classes.form}
      onSubmit={submit}
      onInvalidCapture={({ target }) => {
        if (target === form.current?.querySelector(':invalid')) (target as HTMLElement).focus();
      }}
    >
      {isGeneral && (
        <Problem error={error}>
          {unnamed.length > 0
            ? unnamed.map((each) => (
                <span key={each.field}>{`${each.field}: ${fieldText(each, language)}`}</span>
              ))
            : explain?.(error)}
        </Problem>
      )}
      <FormProblems value={problems}>{children}</FormProblems>
    </form>
  );
}

/** Returns the field of a list entry: "allowed_ips.0" belongs to `allowed_ips`. */
const listOf = (field: string) => field.split('.', 1)[0]!;

function problemsOf(error: Error | null | undefined, language: Language): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.fields.flatMap((problem) => {
      const text = fieldText(problem, language);
      return [
        [listOf(problem.field), text],
        [problem.field, text],
      ];
    }),
  );
}

function hasField(form: HTMLFormElement | null, name: string): boolean {
  return form?.elements.namedItem(name) != null || form?.elements.namedItem(listOf(name)) != null;
}

export function FormRow({ children }: { children: ReactNode }) {
  return <div className={classes.row}>{children}</div>;
}

/** The buttons below a form; the main one comes first. */
export function FormActions({ children }: { children: ReactNode }) {
  return <div className={classes.actions}>{children}</div>;
}

/** Returns a value of a submitted form, or an empty string if it was left out. */
export function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === 'string' ? value : '';
}

/** Converts the value of a `datetime-local` field, which is in the reader's time zone, to a UTC time stamp. */
export const instantOf = (values: FormData, name: string) => new Date(textOf(values, name)).toISOString();
