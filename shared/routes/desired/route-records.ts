import { recordKey } from '../../model/network/routes.ts';
import type { WrittenRoute, WrittenRoutes } from '../../model/network/routes.ts';

interface RecordInput {
  readonly written: WrittenRoutes;
  /** The routes that are wanted. */
  readonly routes: WrittenRoutes;
  /** Those that go from the router, with the ports that the Nodes have now. */
  readonly leaving: WrittenRoutes;
  /** Whether the Node of a CIDR is uncertain, so that its routes stay recorded. */
  readonly isLeft: (cidr: string) => boolean;
  /** Whether levelset puts the route back. It is levelset's own work then, until a sweep has seen it. */
  readonly isPutBack: (route: WrittenRoute) => boolean;
  /** Whether the route is on the router, and its port accepts the pods' packets. */
  readonly isInPlace: (route: WrittenRoute) => boolean;
}

/** The record of one router: to save before the writes, after all of them, and once a sweep has seen what is in its place. */
interface RouterRecord {
  readonly before: WrittenRoutes;
  readonly after: WrittenRoutes;
  readonly settled: WrittenRoutes;
}

export function recordsOf(input: RecordInput): RouterRecord {
  const { written, routes, leaving, isLeft, isPutBack, isInPlace } = input;
  const known = settledIn(written);
  const seen = new Set(routes.filter(isInPlace).map(recordKey));
  const noted = routes.map((route) =>
    known.has(recordKey(route)) && !isPutBack(route) ? { ...route, settled: true } : route,
  );
  const left = written.filter(({ destination }) => isLeft(destination));
  const ends = written.filter(({ destination }) => !isLeft(destination)).map(taken);
  return {
    before: each([...leaving, ...ends, ...left, ...noted]),
    after: each([...left, ...noted]),
    settled: written.map((route) =>
      route.settled === undefined && seen.has(recordKey(route)) ? { ...route, settled: true } : route,
    ),
  };
}

/** The keys of the routes that are settled. */
export function settledIn(written: WrittenRoutes): ReadonlySet<string> {
  return new Set(written.filter((route) => route.settled).map(recordKey));
}

/** The route as recorded before levelset takes it away. */
function taken(route: WrittenRoute): WrittenRoute {
  return { ...route, settled: false };
}

/** The routes of a record as far as both readings of it have them as settled. */
export function settledInBoth(written: WrittenRoutes, again: WrittenRoutes = []): WrittenRoutes {
  const settled = settledIn(again);
  return written.map((route) => (route.settled && !settled.has(recordKey(route)) ? taken(route) : route));
}

/** Each route once, as the last one has it, in a fixed order. */
function each(routes: WrittenRoutes): WrittenRoutes {
  const byKey = new Map(routes.map((route) => [recordKey(route), route]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, route]) => route);
}
