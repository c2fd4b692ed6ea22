import type { Config, LoadBalancerConfig } from '../../config/config.ts';
import { attributeRule } from '../../model/attributes.ts';
import type { AnnotationColumns, AttributeRow, Need } from '../../model/attributes/attribute-row.ts';
import type { ResourceKind, ResourceTypes } from '../../model/resources.ts';

/** The kind and an attribute of a resource, such as `pool.protocol`. */
type TargetAttribute = {
  [K in keyof ResourceTypes]: `${K}.${string & keyof ResourceTypes[K]}`;
}[keyof ResourceTypes];

/**
 * What an annotation needs before it has an effect, as words that follow "needs". These are the needs of attributes
 * (Need) and four more: http is a port of plain HTTP, redirect a port that redirects to HTTPS, check a pool with a
 * health monitor, and floating-ip an external Service with an IPv4 address.
 */
export const NEEDS = {
  tcp: 'a TCP port',
  requests: 'a port that reads HTTP requests (levelset.openstack.org/protocol, or a certificate)',
  http: 'a port that speaks plain HTTP (levelset.openstack.org/protocol)',
  redirect: 'levelset.openstack.org/redirect-http with the value true',
  tls: 'a port that terminates TLS (a certificate in levelset.openstack.org/tls-container-refs or tls-secret)',
  hsts: 'levelset.openstack.org/hsts-max-age',
  'tls-to-members': 'levelset.openstack.org/pool-tls with the value true',
  check: 'health checks of members (loadbalancer.openstack.org/enable-health-monitor)',
  'http-check':
    'a health check over HTTP (levelset.openstack.org/monitor-type HTTP or HTTPS), and not the one of kube-proxy that externalTrafficPolicy Local brings',
  'floating-ip': 'a floating IP: an external Service with an IPv4 address',
} as const satisfies Readonly<Record<Need | 'http' | 'redirect' | 'check' | 'floating-ip', string>>;

export type AnnotationNeed = keyof typeof NEEDS;

/** The value without the annotation, and the option of [LoadBalancer] that says it, if one does. */
type Otherwise<T> = ((config: Config) => T | undefined) & { readonly option?: keyof LoadBalancerConfig };

/** The value of an option of [LoadBalancer], or what `read` makes of it. */
export function option<F extends keyof LoadBalancerConfig, T = LoadBalancerConfig[F]>(
  field: F,
  read: (value: LoadBalancerConfig[F]) => T = (value) => value as T,
): Otherwise<T> {
  return Object.assign(({ loadBalancer }: Config) => read(loadBalancer[field]), { option: field });
}

interface RowBase<T> extends AnnotationColumns<T> {
  /** The value if the annotation is not there, or no longer. Absent: levelset sets nothing then. */
  readonly otherwise?: Otherwise<NoInfer<T>>;
}

/** Further columns of a setting. The needs of an attribute are in ATTRIBUTES (shared/model/attributes.ts). */
interface SettingColumns {
  Service: { readonly becomes: TargetAttribute | null };
  ServicePort: { readonly becomes: TargetAttribute | null; readonly needs: AnnotationNeed | null };
}

/**
 * An annotation that sets no attribute as it is. `sets` names a setting of the Service or of its ports, which the code in desired/
 * reads, and `becomes` the attribute in which it ends up, if that is one attribute. The `needs` of a port's setting says
 * what the setting needs.
 */
type SettingRow = {
  [K in keyof SettingColumns]: SettingOf<K, string, unknown>;
}[keyof SettingColumns];

type SettingOf<K extends keyof SettingColumns, S, T> = RowBase<T> &
  SettingColumns[K] & { readonly on: K; readonly sets: S };

/** One setting. Its type is that of the annotation's values. */
export function setting<K extends keyof SettingColumns, const S extends string, T>(
  row: SettingOf<K, S, T>,
): SettingOf<K, S, T> {
  return row;
}

/** The settings of rows, by name. */
export type SettingsIn<Row extends SettingRow> = {
  [R in Row as R['sets']]: R extends AnnotationColumns<infer T> ? T : never;
};

/** One annotation. `on` and `sets` name an attribute of a resource (shared/model/attributes/), or a setting. */
export type AnnotationRow = SettingRow | AttributeAnnotation;

interface AttributeAnnotation extends RowBase<unknown> {
  readonly on: ResourceKind;
  readonly sets: string;
}

/** The annotation of an attribute, as a row of all annotations. */
export function attributeAnnotation(
  on: ResourceKind,
  sets: string,
  { option: field, otherwise: value, ...columns }: NonNullable<AttributeRow<unknown>['annotation']>,
): AttributeAnnotation {
  const otherwise = field === undefined ? () => value : option(field as keyof LoadBalancerConfig);
  return { on, sets, ...columns, ...((field ?? value) === undefined ? {} : { otherwise }) };
}

/** The attribute that a row sets, or in which its setting ends up; undefined if that is not exactly one attribute. */
export function targetOf(row: AnnotationRow): readonly [kind: ResourceKind, attribute: string] | undefined {
  if (!('becomes' in row)) return [row.on, row.sets];
  const [kind, attribute] = (row.becomes ?? '').split('.');
  return attribute === undefined ? undefined : [kind as ResourceKind, attribute];
}

/** What a row needs. If one need includes another, the included one comes first. */
export function needsOf(row: AnnotationRow): readonly AnnotationNeed[] {
  const [kind] = targetOf(row) ?? [];
  if (kind === 'floatingip') return ['floating-ip'];
  if ('needs' in row) return row.needs === null ? [] : [row.needs];
  if ('becomes' in row) return [];
  const { needs = null } = attributeRule(row.on, row.sets);
  return [
    ...(kind === 'healthmonitor' ? (['check'] as const) : []),
    ...(needs === 'hsts' ? (['tls'] as const) : []),
    ...(needs === null ? [] : [needs]),
  ];
}

export const PORT_PROTOCOLS = ['tcp', 'http', 'https', 'terminated_https', 'prometheus'] as const;
export type PortProtocol = (typeof PORT_PROTOCOLS)[number];

/** Headers that say where a request came from. */
export const FORWARDED = ['X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto'] as const;

/** Headers that describe the certificate of a client (Octavia API, "Supported HTTP Header Insertions"). */
const OF_CERTIFICATES = [
  'X-SSL-Client-Verify',
  'X-SSL-Client-Has-Cert',
  'X-SSL-Client-DN',
  'X-SSL-Client-CN',
  'X-SSL-Issuer',
  'X-SSL-Client-SHA1',
  'X-SSL-Client-Not-Before',
  'X-SSL-Client-Not-After',
] as const;

export const HEADERS = [...FORWARDED, ...OF_CERTIFICATES] as const;
export type Header = (typeof HEADERS)[number];
