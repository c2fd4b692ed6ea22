import type { Config } from '../../config/config.ts';
import type { ReferenceKind } from '../../model/load-balancer/reach.ts';
import type { ResourceTypes } from '../../model/resources.ts';
import type { Parser } from './parsers.ts';
import type { PortSettings, ServiceSettings } from './settings.ts';

/** Such as `pool.protocol`. */
export type Becomes = {
  [K in keyof ResourceTypes]: `${K}.${string & keyof ResourceTypes[K]}`;
}[keyof ResourceTypes];

interface RowBase<T> {
  /** All spellings; the first one that a Service carries counts. */
  readonly names: readonly string[];
  readonly parse: Parser<NoInfer<T>>;
  /** The value without the annotation, and again when it is removed; absent: not ours to set. */
  readonly otherwise?: (config: Config) => T | undefined;
  /** What it does without a value that is wrong would be less safe than what was asked for: then nothing is changed. */
  readonly blocking?: true;
  /** The value names something of OpenStack, perhaps of somebody else: out of reach it blocks (REACH, decision 36). */
  readonly refers?: ReferenceKind;
  /** Empty in the Go provider's spelling it is none, whatever cloud.conf says, as it is there (openstack-ccm.md, 1.0). */
  readonly orNone?: true;
  /** Of a setting: the attribute in which it ends up. */
  readonly becomes?: Becomes;
  /** A value to copy, which tests apply; words in capitals stand for what every cloud has its own of. */
  readonly example: string;
  readonly doc: string;
}

/** What a row may set: an attribute of every resource of a kind, or a setting that the builders of desired/ read. */
export interface Targets extends ResourceTypes {
  Service: ServiceSettings;
  ServicePort: PortSettings;
}

export type AnnotationRow = {
  [K in keyof Targets]: {
    [A in keyof Targets[K]]: RowBase<Targets[K][A]> & { readonly on: K; readonly sets: A };
  }[keyof Targets[K]];
}[keyof Targets];
