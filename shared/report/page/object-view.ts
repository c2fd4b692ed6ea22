import type { ErrorCode } from '../../model/errors.ts';
import type { Problem } from '../../model/plan.ts';
import type { ComparedResource } from '../../plan/compare-and-plan.ts';
import type { StatusRow } from '../page.ts';

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

interface ShownValue {
  readonly setting: string;
  readonly port?: number;
  readonly value: string;
  readonly setBy: string;
}

export interface ObjectDetails {
  readonly at: string;
  readonly tree?: TreePart;
  /** Why nothing is compared now. */
  readonly notCompared?: string;
  readonly resources: readonly ComparedResource[];
  readonly values: readonly ShownValue[];
  /** What is written and does not count. */
  readonly ignored: readonly Problem[];
  readonly plan: string;
  /** The value of the annotation that approves what waits; absent if nothing does. */
  readonly approve?: string;
}

export interface PastRun {
  readonly at: string;
  readonly trigger: string;
  readonly cause?: string;
  readonly state: StatusRow['state'];
  readonly reason: string;
  readonly code?: ErrorCode;
  /** What it wrote, in words. */
  readonly did: string;
  readonly calls: number;
  readonly durationMs: number;
  readonly failedRequestIds: readonly string[];
}

export interface ObjectView {
  readonly cluster: string;
  readonly generatedAt: string;
  readonly row: StatusRow;
  /** Absent for Nodes and routes, and while there was none. */
  readonly details?: ObjectDetails;
  /** Why `look` is old, or absent. */
  readonly notRead?: string;
  /** Why Services and Nodes cannot be listed, so that `row` is an old one. */
  readonly notListed?: string;
  readonly runs: readonly PastRun[];
}
