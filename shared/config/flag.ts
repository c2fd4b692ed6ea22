import type { Read } from './read-value.ts';

export type CommandName =
  | 'serve'
  | 'sweep'
  | 'reconcile'
  | 'plan'
  | 'drift'
  | 'explain'
  | 'gc'
  | 'lint'
  | 'doctor'
  | 'support-bundle'
  | 'replay'
  | 'adopt'
  | 'sandbox';

export const FLAG_TOPICS = [
  'cluster and cloud',
  'Services',
  'Nodes',
  'routes',
  'runs',
  'server',
  'one run',
] as const;

export interface Flag {
  readonly topic: (typeof FLAG_TOPICS)[number];
  readonly short?: string;
  /** The placeholder of the value in `--help`. A flag without one is a switch. */
  readonly value?: string;
  readonly read?: Read<unknown>;
  readonly help: string;
  /** The value that counts without the flag, as it would be written. */
  readonly default?: string;
  /** What `--help` says about the flag's absence, if that has no single value. */
  readonly without?: string;
  /** A second one adds to the list of the first. */
  readonly repeatable?: true;
  readonly commands: readonly CommandName[];
  /** It is about one cluster: where a deployment serves several, each of them may have its own value. */
  readonly cluster?: true;
  readonly lambda?: true;
  /** The Go programs that have the flag: cloud-controller-manager, kube-controller-manager. */
  readonly go?: 'CCM' | 'KCM' | 'CCM, KCM';
}
