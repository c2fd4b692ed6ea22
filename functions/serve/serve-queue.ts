import type { Report } from '../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import type { Clock, World } from '../../shared/ports.ts';
import type { ParkedKeys } from '../../shared/queue/parked-keys.ts';
import type { SharedPlaces } from '../../shared/queue/places.ts';
import type { Sides } from '../../shared/queue/sides.ts';
import type { ClusterIdentity } from '../../shared/model/ownership.ts';
import type { QueueView } from '../../shared/report/page.ts';
import type { Sweep } from '../../shared/sweep.ts';
import type { SweepTurns } from './sweeper.ts';

export interface ServeQueueOptions {
  readonly world: World;
  readonly cluster: () => Promise<ClusterIdentity>;
  /** The keys that wait for Octavia's room, of all clusters of one project. Its own without it. */
  readonly parked?: ParkedKeys;
  /** The places for runs that the clusters of the process share. Bounded by its own alone without them. */
  readonly places?: SharedPlaces;
  /** When the cluster is swept, where there are several. */
  readonly turns?: SweepTurns;
  /** No run begins while one of them does not answer. */
  readonly sides?: Sides;
  /** Sweeps change nothing. */
  readonly readOnly: boolean;
  /** Runs one unit. */
  readonly run: (request: ReconcileRequest) => Promise<Report>;
  /** Called for every sweep of this process that ended. */
  readonly swept: (found: Sweep) => void;
  /** Called for every run that ended in another process. */
  readonly told: (report: Report) => void;
}

/** What `serve` does with keys: units are run, and for any other key a sweep queues what it finds. */
export interface ServeQueue {
  /** Starts the work, with a sweep first and then at each interval. */
  start(): void;
  /** Resolves when the keys are queued. */
  add(requests: readonly ReconcileRequest[]): Promise<void>;
  /** Queues a unit and returns the report of a run that began after that. */
  ask(request: ReconcileRequest): Promise<Report>;
  view(): Promise<QueueView>;
  /** Why no run begins. */
  readonly trouble: string | undefined;
  /** True when this process has nothing queued, running or waiting for Octavia, and no sweep runs or is about to run. */
  readonly idle: boolean;
  /** Begins no run any more, and resolves when those under way have ended. */
  stop(): Promise<void>;
}

/** Makes the queue of one cluster. */
export type MakeQueue = (options: ServeQueueOptions) => ServeQueue;

/** The queue of all clusters of a process. */
export interface QueueOfClusters {
  /** The part of one cluster. */
  readonly of: MakeQueue;
  start(): void;
  /** Why no run begins. */
  trouble(): string | undefined;
  /** Takes no more keys, and resolves when `last`, which ends the clusters, has ended and what they left to do is queued. */
  stop(last: Promise<void>): Promise<void>;
}

/**
 * The delay of a run of the routes, and of a sweep of the node set, after a Node changed. One serves all Nodes that join or
 * leave meanwhile.
 */
export const FOLLOW_MS = 500;

/** How long keys wait and runs take. Who sets the time of day makes neither longer. */
export const MONOTONIC: Clock = { now: () => performance.now() };

/** For those who wait for a run that does not begin any more. */
export const ENDED = 'the work on this cluster ended before the run began: ask again';
