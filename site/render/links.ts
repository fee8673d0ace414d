/** Addresses of the documentation's pages, relative to the service's address. */

export const HOME = '/docs/';
export const BASICS = '/docs/reference/basics';
export const OBJECTS = '/docs/reference/objects';
export const ERRORS = '/docs/reference/errors';
/** Differs between installations and readers. */
export const OWN_STYLE = '/docs/own.css';
export const POSTMAN = '/docs/vauban.postman_collection.json';

export const operationUrl = (operationId: string): string => `/docs/reference/${operationId}`;
export const objectUrl = (name: string): string => `${OBJECTS}#${name}`;
export const errorUrl = (code: string): string => `${ERRORS}#${code}`;
export const basicsUrl = (slug: string): string => `${BASICS}#${slug}`;
export const guideUrl = (name: string): string => `/docs/guides/${name}`;
