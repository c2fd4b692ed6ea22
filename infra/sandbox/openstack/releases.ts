import measured from './releases.json' with { type: 'json' };

export type Release = keyof typeof measured.releases;
export const RELEASES = Object.keys(measured.releases) as readonly Release[];

/** The newest minor version of a release's Octavia. */
export const minorOf = (release: Release): number =>
  Number(measured.releases[release].api.slice('v2.'.length));

/** What a release answers, by the row's name. A status comes first, words of the answer stand in backquotes. */
export function measuredOf(what: string, release: Release): string {
  const row = measured.rows.find((one) => one.what === what);
  if (!row) throw new Error(`releases.json has no row "${what}"`);
  return row[release];
}
