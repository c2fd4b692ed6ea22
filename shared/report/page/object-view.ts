import type { ErrorCode } from '../../model/errors.ts';
import type { Problem } from '../../model/plan.ts';
import type { ComparedResource } from '../../plan/compare-all.ts';
import type { StatusRow } from '../page.ts';

/** What Octavia says of one part of a load balancer. */
export interface TreePart {
  readonly kind: 'load balancer' | 'listener' | 'pool' | 'monitor' | 'member';
  /** What it is for, such as `tcp/80` or the name of a Node. */
  readonly title: string;
  readonly id: string;
  readonly operatingStatus?: string;
  readonly provisioningStatus: string;
  /** It belongs to another Service, or to somebody else. */
  readonly others?: true;
  readonly parts: readonly TreePart[];
}

/** A value that holds for the object, and what set it. */
interface ShownValue {
  readonly setting: string;
  readonly port?: number;
  readonly value: string;
  readonly setBy: string;
}

/** What was read of one object for its page. */
export interface Look {
  /** RFC 3339. */
  readonly at: string;
  /** Absent if there is no load balancer. */
  readonly tree?: TreePart;
  /** Why nothing is compared now. */
  readonly notCompared?: string;
  readonly resources: readonly ComparedResource[];
  readonly values: readonly ShownValue[];
  /** What is written and does not count. */
  readonly ignored: readonly Problem[];
  /** The plan of now, as text. */
  readonly plan: string;
  /** The value of the annotation that approves what waits; absent if nothing does. */
  readonly approve?: string;
}

/** One run that ended. */
export interface PastRun {
  /** RFC 3339. */
  readonly at: string;
  readonly trigger: string;
  readonly cause?: string;
  readonly state: StatusRow['state'];
  readonly reason: string;
  readonly code?: ErrorCode;
  /** What it wrote, in words. */
  readonly did: string;
  /** OpenStack requests. */
  readonly calls: number;
  readonly durationMs: number;
  /** Ids of the requests that failed, as OpenStack's logs have them. */
  readonly failedRequestIds: readonly string[];
}

export interface ObjectView {
  readonly cluster: string;
  /** The time from which ages on the page are counted, RFC 3339. */
  readonly generatedAt: string;
  readonly row: StatusRow;
  /** Absent for Nodes and routes, and while there was none. */
  readonly look?: Look;
  /** Why `look` is old, or absent. */
  readonly notRead?: string;
  /** Why Services and Nodes cannot be listed, so that `row` is an old one. */
  readonly notListed?: string;
  /** The newest first. */
  readonly runs: readonly PastRun[];
  /** Those that this process wrote, the newest first. */
  readonly events: readonly {
    readonly at: string;
    readonly type: string;
    readonly reason: string;
    readonly message: string;
    readonly count: number;
  }[];
}
