import manifest from '../package.json' with { type: 'json' };

/** The version of the command, which is built in. */
export const VERSION: string = manifest.version;
