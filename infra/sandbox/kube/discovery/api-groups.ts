import { resourceTypes, type ResourceType } from '../kube-objects.ts';

/** A resource as discovery shows it. */
export interface Discovered {
  readonly name: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

export interface ApiGroup {
  /** Empty: the core group. */
  readonly name: string;
  readonly version: string;
  readonly resources: readonly Discovered[];
}

const OF_ONE_AND_MANY = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const OF_STATUS = ['get', 'patch', 'update'];
const IN_ALL = ['pods', 'services'];

const stored = ({ plural, kind, namespaced, shortNames, status }: ResourceType): Discovered => ({
  name: plural,
  singular: kind.toLowerCase(),
  kind,
  namespaced,
  verbs: OF_ONE_AND_MANY.filter((verb) => plural !== 'namespaces' || verb !== 'deletecollection'),
  shortNames,
  categories: IN_ALL.includes(plural) ? ['all'] : [],
  subresources: status ? [{ name: 'status', verbs: OF_STATUS }] : [],
});

/** A review is answered, and not kept. */
const review = (kind: string): Discovered => ({
  name: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  kind,
  namespaced: false,
  verbs: ['create'],
  shortNames: [],
  categories: [],
  subresources: [],
});

const ofGroup = (group: string): Discovered[] =>
  resourceTypes.filter((type) => type.group === group).map(stored);

/** What the simulated apiserver serves, the core group first. */
export const apiGroups: readonly ApiGroup[] = [
  { name: '', version: 'v1', resources: ofGroup('') },
  {
    name: 'authentication.k8s.io',
    version: 'v1',
    resources: ['SelfSubjectReview', 'TokenReview'].map(review),
  },
  {
    name: 'authorization.k8s.io',
    version: 'v1',
    resources: ['SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview'].map(review),
  },
  ...['coordination.k8s.io', 'discovery.k8s.io'].map((name) => ({
    name,
    version: 'v1',
    resources: ofGroup(name),
  })),
];

/** `v1`, `coordination.k8s.io/v1`. */
export const groupVersion = ({ name, version }: ApiGroup): string =>
  name === '' ? version : `${name}/${version}`;

/** The path of a group's version: `/api/v1`, `/apis/coordination.k8s.io/v1`. */
export const pathOf = (group: ApiGroup): string =>
  `/${group.name === '' ? 'api' : 'apis'}/${groupVersion(group)}`;
