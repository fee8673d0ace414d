import manifest from '../package.json' with { type: 'json' };

/** The version of the command, inserted at build time. */
export const VERSION: string = manifest.version;
