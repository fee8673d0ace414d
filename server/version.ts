import manifest from './package.json' with { type: 'json' };

/** The service's version, which all packages of the project share (`docs/releases.md`). */
export const VERSION: string = manifest.version;

/**
 * The version of the specification of the customers' API. The API's description carries it, whatever the service's own version.
 */
export const SPECIFICATION_VERSION = '1.0.0';
