/** In the bundles in place of the package that got caches with, and its 35 kB: nothing here asks got for a cache. */
export class CacheError extends Error {}

export default function cacheableRequest(): never {
  throw new TypeError('this build has no HTTP cache');
}
