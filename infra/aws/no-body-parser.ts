/** Replaces, in what is built, the package with which express reads bodies: `functions/http/read-body.ts` does. Saves 500 kB. */
export {};
