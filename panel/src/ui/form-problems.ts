import { createContext } from 'react';

/** What the service had against each field of a form, by its name. */
export const FormProblems = createContext<Record<string, string>>({});
