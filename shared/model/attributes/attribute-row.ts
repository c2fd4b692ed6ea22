import type { Parser } from '../text/parsers.ts';

/** How an attribute may change once the resource exists. */
// prettier-ignore
export type ChangeRule =
  | 'in-place'  // by an update
  | 'recreate'  // the resource is deleted and created again
  | 'new-pool'  // a new pool is filled beside the old one before the listener turns to it (decision 11)
  | 'refuse'    // the change would take away what people depend on, such as the VIP: the plan refuses it and does the rest
  | 'at-create'; // set once; later differences are no drift, since names go stale (decision 4)

/** How a desired value is compared with the observed one. Without a rule it is `value`. */
// prettier-ignore
type CompareRule =
  | 'value'      // as JSON; an absent value equals null
  | 'set'        // lists in any order
  | 'asked-text' // a description, of which only the part counts that a Service asks for
  | 'open-cidrs' // a set in which "everybody" equals null (decision 2)
  | 'tags'       // our tags must be among the observed ones; all others stay
  | 'set-record' // tags, of which only the record `levelset-set` and users' tags count, since each write locks (decision 7)
  | 'sparse'     // an object without its null keys, which the server fills in (decision 2); null equals an empty object
  | 'reference'  // a certificate in Barbican, equal by its id (decision 2)
  | 'references' // the same as a list in any order
  | 'vips'       // an additional VIP in each of these subnets, at the IP address that is asked for, if one is
  | 'entries'    // the named keys of an object; null asks for the key to be absent
  | 'conditions'; // the named types of a list of conditions, whatever their times

/** What Octavia needs before it takes an attribute, or makes use of it (Octavia API reference of each attribute). */
// prettier-ignore
export type Need =
  | 'tcp'            // the port is TCP
  | 'requests'       // the listener reads HTTP requests (HTTP, TERMINATED_HTTPS)
  | 'tls'            // the listener terminates TLS
  | 'hsts'           // the listener terminates TLS and hsts_max_age is set
  | 'tls-to-members' // the pool has tls_enabled
  | 'http-check'; // the monitor's type is HTTP or HTTPS

/** What not every Octavia, or not every provider, can do of an attribute. */
export interface CapabilityColumns {
  /** Only these values, or objects of these types, need the capability; absent: the attribute needs it with any value. */
  readonly values?: readonly unknown[];
  readonly at?: 'udp';
  /** First minor version of the Octavia API 2 that has the capability; absent: all have it. */
  readonly since?: number;
  /** The ovn provider does not have the capability in any version. */
  readonly notOvn?: true;
  /** The amphora provider, which has several names, does not have it in any version. */
  readonly notAmphora?: true;
  /** The value that levelset sets in place of the desired one; absent: levelset leaves the attribute out. */
  readonly instead?: unknown;
  /** Without the capability the load balancer would be less safe than the user wants, so levelset changes nothing. */
  readonly guards?: true;
  /** Nothing can take the value's place, so levelset leaves out the port, with everything behind it. */
  readonly drops?: true;
  /** levelset sets the attribute of its own accord: there is a Problem only if an annotation sets it. */
  readonly implied?: true;
}

export interface AttributeRule {
  /** What the attribute needs; null or absent: nothing. */
  readonly needs?: Need | null;
  readonly change: ChangeRule;
  readonly compare?: CompareRule;
  /**
   * What leaves the attribute to the server again (decision 2), written when nobody asks any more. Such an attribute
   * is set only on request, and recorded in the tag `levelset-set`.
   */
  readonly unset?: null | false | 1 | 'NONE' | readonly [] | Readonly<Record<string, unknown>>;
  /** What the attribute takes of Octavia and of the provider; several, in the order in which a value takes another's place. */
  readonly capability?: CapabilityColumns | readonly CapabilityColumns[];
}

/** The sections of docs/annotations.md, in order. */
export const ANNOTATION_TOPICS = {
  'load-balancer': 'The load balancer',
  addresses: 'Its addresses, and who may connect',
  protocol: 'Protocols, timeouts and limits',
  tls: 'TLS',
  members: 'Members',
  monitor: 'Health monitors',
} as const;

/** The kind of a named resource: `barbican` is anything in Barbican, `Secret` a Secret of Kubernetes. */
// prettier-ignore
export type ReferenceKind =
  | 'loadbalancer' | 'floatingip' | 'port' | 'subnet' | 'network' | 'flavor' | 'availability_zone' | 'qos_policy'
  | 'securitygroup' | 'barbican' | 'Secret';

/** What an annotation is: its names, its values, and what holds where it says nothing. */
export interface AnnotationColumns<T> {
  readonly topic: keyof typeof ANNOTATION_TOPICS;
  /** All spellings; the first one that a Service carries counts. */
  readonly names: readonly string[];
  readonly parse: Parser<T>;
  /** The value is a list of any length. All other values have at most 4,096 characters. */
  readonly list?: true;
  /** What a value does that cannot be read: it opens no more, and leads nowhere else, than was asked for (decision 430). */
  readonly unreadable: 'blocks' | 'default' | 'last';
  /** A value of which no port makes use blocks the Service, since people rely on it (decision 430). */
  readonly unused?: 'blocks';
  /** The kind of thing that the value names. A thing out of the Service's reach blocks (REACH, decision 20). */
  readonly refers?: ReferenceKind;
  /** An empty value in OCCM's spelling means "none", whatever cloud.conf says (docs/sources/occm.md, "Annotations"). */
  readonly orNone?: true;
  /** A value to copy, which tests apply. Words in capitals stand for ids that differ from cloud to cloud. */
  readonly example: string;
  readonly doc: string;
}

export interface AttributeRow<T> extends AttributeRule {
  /** The annotation that sets the attribute as its value is. */
  readonly annotation?: AnnotationColumns<T> & {
    /** The option of [LoadBalancer] that holds without the annotation. */
    readonly option?: string;
    /** The value without the annotation, where no option says it. Neither: levelset sets nothing then. */
    readonly otherwise?: T;
  };
  /** Carries the type alone. */
  readonly value?: T;
}

/** One attribute: how it behaves, and the annotation that sets it, if one does. Its type is that of the annotation's values. */
export function attr<T>(rule: AttributeRule, annotation?: AttributeRow<T>['annotation']): AttributeRow<T> {
  return annotation ? { ...rule, annotation } : rule;
}

/** The type of a resource, by the table of its attributes. */
export type ResourceOf<Table> = {
  -readonly [A in keyof Table]: Table[A] extends AttributeRow<infer T> ? T : never;
};
