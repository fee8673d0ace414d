import { createContext, type FormEvent, useContext, useEffect, useRef, useState } from 'react';

/** What the service had against each field of a form, by its name. */
export const FormProblems = createContext<Record<string, string>>({});

type Control = HTMLInputElement | HTMLTextAreaElement;

/**
 * What is wrong with a field, if anything: what the service said of it until it is changed, and what the browser or
 * `check` says as soon as the form is to be sent. The attributes go on the input.
 */
export function useProblem(
  name: string | undefined,
  value: string | undefined,
  check: ((value: string) => string | null | undefined) | undefined,
) {
  const input = useRef<Control>(null);
  const problems = useContext(FormProblems);
  const [seen, setSeen] = useState<Record<string, string>>();
  const [own, setOwn] = useState('');
  // A value that the page holds may change without anybody typing.
  useEffect(() => {
    input.current?.setCustomValidity(check?.(value ?? input.current.value) ?? '');
  });
  const said = name !== undefined && problems !== seen ? problems[name] : undefined;
  const problem = said || own;
  return {
    problem,
    attributes: {
      ref: (element: Control | null) => {
        input.current = element;
      },
      name,
      'aria-invalid': problem ? (true as const) : undefined,
      onInvalid: (event: FormEvent<Control>) => {
        // Said below the field, and not in a bubble that goes away.
        event.preventDefault();
        setOwn(event.currentTarget.validationMessage);
      },
    },
    /** Called for every change: what was wrong may not be any more. */
    touched: () => {
      // At once: what a field holds that keeps its own value renders nothing.
      const { current } = input;
      current?.setCustomValidity(check?.(current.value) ?? '');
      setSeen(problems);
      setOwn('');
    },
  };
}
