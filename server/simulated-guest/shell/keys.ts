/** What a terminal sends for the keys that end something. */
export const CTRL_C = '\x03';
export const CTRL_D = '\x04';
