/** A pattern for `ilike` of texts that contain this one: what would be a wildcard stands for itself. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
