import { tagValue } from '../ownership.ts';
import type { WireResource } from '../resources.ts';

/**
 * The place of a pool that is built up beside the one in use, before the listener turns to it (docs/decisions.md, 11).
 * `tcp/80` is the place of a port; `tcp/80/next` that of the pool that will be, or was, its pool.
 */
export function nextPlace(place: string): string {
  return `${place}/next`;
}

/** `member/tcp/80/10.0.0.5:30080` and `monitor/tcp/80/next` say in which pool they are. */
export function poolAddressOf(address: string): string {
  const [kind, ...place] = address.split('/');
  return `pool/${(kind === 'member' ? place.slice(0, -1) : place).join('/')}`;
}

/**
 * Whether another controller made a pool: ours say for which port from the beginning. One of ours that was built up beside
 * such a one takes its place in this as well: what waited for approval waits on.
 */
export function isAdopted({ tags }: Pick<WireResource, string>): boolean {
  return tagValue(tags, 'port') === undefined || tagValue(tags, 'replaces') !== undefined;
}
