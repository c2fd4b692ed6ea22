/** The note on a Node that its server was not there: when, in seconds since 1970, and where Nova was asked for which server. */
export interface Place {
  readonly projectId: string;
  readonly region: string;
  readonly serverId: string;
}

export function noteGone(now: number, { projectId, region, serverId }: Place): string {
  return [Math.ceil(now / 1_000), projectId, region, serverId].join(' ');
}

/** Milliseconds since 1970; undefined where there is no note, or it is about another place. */
export function goneSince(
  note: string | undefined,
  { projectId, region, serverId }: Place,
): number | undefined {
  const [seconds = '', ...place] = (note ?? '').split(' ');
  const isHere = place.join(' ') === [projectId, region, serverId].join(' ');
  return isHere && /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}
