import manifest from '../package.json' with { type: 'json' };

/** The service's version, which all packages of the project share (`docs/releases.md`). */
export const VERSION: string = manifest.version;

/**
 * Version of the customer API's specification. The API's description states it, independently of the service's version.
 */
export const SPECIFICATION_VERSION = '1.0.0';
