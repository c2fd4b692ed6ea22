import type { KubeObject } from '../kube-objects.ts';

/** A column of the table that the apiserver makes of a list. */
export interface Column {
  readonly name: string;
  readonly description: string;
  /** Shown by `-o wide` alone. */
  readonly wide?: true;
  readonly cell: (object: KubeObject, now: number) => string | number;
}
