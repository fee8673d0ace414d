/** Returns an `ilike` pattern for texts that contain `text`; its wildcards are escaped. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
