/** Characters that a terminal sends for these keys. */
export const CTRL_C = '\x03';
export const CTRL_D = '\x04';
