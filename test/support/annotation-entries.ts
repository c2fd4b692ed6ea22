/** What the examples of annotations do to a cloud, where the table of annotations does not say it all. */
import type { AnnotationNeed } from '../../shared/service/intent/annotations.ts';
import { recordedIn } from '../../shared/model/ownership.ts';

export type Wire = Readonly<Record<string, unknown>>;

/** What a cloud shows of one Service, by kind; `ingress` is its status. */
export type Shown = Readonly<Record<string, readonly Wire[]>>;

export type Annotations = Readonly<Record<string, string>>;

export interface Entry {
  /** Other annotations that it needs, by the end of their names. */
  readonly needs?: Annotations;
  /** Whether it is there; absent: the attribute that the row names has the value of the example. */
  readonly shows?: (shown: Shown) => boolean;
  /** The test that shows it, where one Service in one run cannot. */
  readonly elsewhere?: string;
  /** Why the lab cannot. */
  readonly notOnTheLab?: string;
  /** Which of the lab's Services has it; absent: the plain one. */
  readonly on?: 'http' | 'forwarded' | 'tls' | 'to members' | 'proxied' | 'internal' | 'placed' | 'kinx';
}

const OWN = 'levelset.openstack.org/';
const OCCM = 'loadbalancer.openstack.org/';
const HTTP: Entry = { needs: { [`${OWN}protocol`]: 'http' }, on: 'http' };
const REDIRECTED: Entry = {
  needs: {
    [`${OWN}protocol`]: 'http',
    [`${OWN}redirect-http`]: 'true',
    [`${OCCM}hostname`]: 'www.example.org',
  },
  on: 'http',
};
const TLS: Entry = { needs: { [`${OWN}tls-container-refs`]: 'CERTIFICATE_ID' }, on: 'tls' };
const HSTS: Entry = {
  ...TLS,
  elsewhere: 'test/golden/annotations.txt',
  notOnTheLab: 'its Octavia has API 2.26, and this came with 2.27',
};
const MORE_HSTS: Entry = { ...HSTS, needs: { ...TLS.needs, [`${OWN}hsts-max-age`]: '3600' } };
const CLIENTS: Entry = { needs: { ...TLS.needs, [`${OWN}client-ca-tls-container-ref`]: 'CA_ID' }, on: 'tls' };
const TO_MEMBERS: Entry = { needs: { [`${OWN}pool-tls`]: 'true' }, on: 'to members' };
const CHECKED: Entry = { needs: { [`${OCCM}enable-health-monitor`]: 'true' } };
const BY_HTTP: Entry = { needs: { ...CHECKED.needs, [`${OWN}monitor-type`]: 'HTTP' } };
const OFFERED = 'what Octavia offers is its administrator’s to make, and the lab has none';

export const first = (shown: Shown, kind: string): Wire => shown[kind]?.[0] ?? {};
const inserted = (header: string) => (shown: Shown) =>
  (first(shown, 'listener')['insert_headers'] as Wire | undefined)?.[header] === 'true';
const refers = (kind: string, attribute: string) => (shown: Shown) =>
  /\/(secrets|containers)\/[-0-9a-f]{36}$/.test(String(first(shown, kind)[attribute]));
const tagged =
  (kind: string, ...tags: readonly string[]) =>
  (shown: Shown) =>
    tags.every((tag) => (first(shown, kind)['tags'] as readonly string[] | undefined)?.includes(tag));
/** What is set only because somebody asks. */
const recorded = (shown: Shown, kind: string): readonly string[] => recordedIn(first(shown, kind)['tags']);
const floating = (shown: Shown): boolean => shown['floatingip']?.length === 1;

/** By what the attribute of a row needs. */
export const BY_NEED: Readonly<Partial<Record<AnnotationNeed, Entry>>> = {
  ...{ requests: HTTP, tls: TLS, 'tls-to-members': TO_MEMBERS, check: CHECKED, 'http-check': BY_HTTP },
};

/** By what a row sets; absent: its attribute shows it, with what it needs. */
// prettier-ignore
export const ENTRIES: Readonly<Record<string, Entry>> = {
  'Service.loadBalancerClass': { shows: floating, notOnTheLab: 'its cloud.conf has no class' },
  'Service.loadBalancerId': { elsewhere: 'test/laws/sharing.test.ts', notOnTheLab: 'see test/e2e/service/sharing.test.ts' },
  'Service.loadBalancerName': { elsewhere: 'test/functions/lambda/lambda-worker.test.ts', notOnTheLab: 'see test/e2e/service/sharing.test.ts' },
  'loadbalancer.vip_subnet_id': { on: 'placed' },
  'loadbalancer.vip_network_id': { on: 'placed' },
  'loadbalancer.vip_port_id': { notOnTheLab: 'see "VIPs" in test/conformance, which runs on it' },
  'Service.additionalVipSubnetIds': { on: 'placed', shows: (shown) => (first(shown, 'loadbalancer')['additional_vips'] as readonly unknown[]).length === 1 },
  'loadbalancer.vip_qos_policy_id': { elsewhere: 'test/rights/scenarios.ts', notOnTheLab: 'its Octavia allows no QoS policy' },
  'loadbalancer.vip_sg_ids': { elsewhere: 'test/conformance/vips.test.ts', notOnTheLab: 'its Octavia has API 2.26, and this came later' },
  'loadbalancer.flavor_id': { notOnTheLab: OFFERED },
  'Service.flavor': { notOnTheLab: OFFERED, shows: (shown) => first(shown, 'loadbalancer')['flavor_id'] !== null },
  'loadbalancer.availability_zone': { notOnTheLab: OFFERED },
  'floatingip.floating_network_id': { on: 'placed' },
  'floatingip.subnet_id': { on: 'placed', shows: floating },
  'Service.floatingSubnet': { shows: floating, notOnTheLab: 'its only external subnet has another name' },
  'Service.floatingSubnetTags': { shows: floating, notOnTheLab: 'its external subnet has no tags' },
  'ServicePort.protocol': { ...HTTP, needs: {}, shows: (shown) => first(shown, 'listener')['protocol'] === 'HTTP' },
  'ServicePort.xForwardedFor': { on: 'forwarded', shows: inserted('X-Forwarded-For') },
  'ServicePort.xForwardedPort': { on: 'forwarded', shows: inserted('X-Forwarded-Port') },
  'ServicePort.xForwardedProto': { on: 'forwarded', shows: inserted('X-Forwarded-Proto') },
  'ServicePort.insertHeaders': { ...HTTP, shows: inserted('X-Forwarded-Proto') },
  'ServicePort.tlsReferences': { on: 'tls', shows: refers('listener', 'default_tls_container_ref') },
  'ServicePort.tlsSecrets': { shows: refers('listener', 'default_tls_container_ref'), notOnTheLab: 'see test/e2e/service/tls.test.ts' },
  'ServicePort.lowTls': { ...TLS, on: 'kinx', shows: (shown) => recorded(shown, 'listener').includes('tls_versions') },
  'listener.client_authentication': CLIENTS,
  'ServicePort.clientCa': { ...TLS, shows: refers('listener', 'client_ca_tls_container_ref') },
  'ServicePort.clientCrl': { ...CLIENTS, shows: refers('listener', 'client_crl_container_ref') },
  'listener.hsts_max_age': HSTS,
  'listener.hsts_include_subdomains': MORE_HSTS,
  'listener.hsts_preload': MORE_HSTS,
  'ServicePort.redirectHttp': { needs: { [`${OWN}protocol`]: 'http', [`${OCCM}hostname`]: 'www.example.org' }, on: 'http', shows: (shown) => first(shown, 'l7policy')['action'] === 'REDIRECT_PREFIX' },
  'ServicePort.redirectHost': { ...REDIRECTED, shows: (shown) => first(shown, 'l7policy')['redirect_prefix'] === 'https://app.example.org' },
  'ServicePort.redirectHttpCode': { ...REDIRECTED, shows: (shown) => first(shown, 'l7policy')['redirect_http_code'] === 308 },
  'pool.session_persistence': HTTP,
  'ServicePort.proxyProtocol': { on: 'proxied', shows: (shown) => first(shown, 'pool')['protocol'] === 'PROXY' },
  'pool.tls_enabled': { on: 'to members' },
  'ServicePort.poolCa': { ...TO_MEMBERS, shows: refers('pool', 'ca_tls_container_ref') },
  'ServicePort.poolCertificate': { ...TO_MEMBERS, shows: refers('pool', 'tls_container_ref') },
  'ServicePort.monitor': { shows: (shown) => shown['healthmonitor']?.length === 1 },
  'healthmonitor.domain_name': { needs: { ...BY_HTTP.needs, [`${OWN}monitor-http-version`]: '1.1' } },
  'Service.memberSubnetId': { elsewhere: 'test/scenarios/service/member-subnet.test.ts', notOnTheLab: 'see test/golden/member-subnet' },
  'ServicePort.memberWeights': { shows: ({ member = [] }) => { const weights = member.map(({ name, weight }) => `${String(name).at(-1) ?? ''}=${String(weight)}`); return weights.includes('1=10') && weights.includes('2=0'); } },
  'ServicePort.backupMembers': { shows: ({ member = [] }) => member.filter(({ backup }) => backup === true).length === 1 },
  'Service.nodeSelector': { elsewhere: 'test/scenarios/node/nodes.test.ts', notOnTheLab: 'see test/golden/create-node-selector' },
  'Service.internal': { on: 'internal', shows: (shown) => shown['floatingip']?.length === 0 },
  'Service.keepFloatingip': { elsewhere: 'test/scenarios/service/floating-ips.test.ts', notOnTheLab: 'see test/scenarios/service/floating-ips.test.ts: a look does not show it' },
  'Service.hostname': { shows: (shown) => first(shown, 'ingress')['hostname'] === 'app.example.org' },
  'Service.sourceRanges': { shows: (shown) => String(first(shown, 'listener')['allowed_cidrs']) === '192.0.2.0/24,198.51.100.7/32' },
  'Service.ingressHostname': { needs: { [`${OCCM}proxy-protocol`]: 'true' }, on: 'proxied', shows: (shown) => String(first(shown, 'ingress')['hostname']).endsWith('.nip.io') },
  'Service.tags': { shows: tagged('loadbalancer', 'paid', 'team=shop') },
  'ServicePort.listenerTags': { shows: tagged('listener', 'paid') },
  'ServicePort.poolTags': { shows: tagged('pool', 'paid') },
  'Service.description': { shows: (shown) => String(first(shown, 'loadbalancer')['description']).startsWith('Our shop | Kubernetes') },
  'Service.drift': { elsewhere: 'test/laws/drift/drift.test.ts', notOnTheLab: 'see test/laws/drift' },
  'Service.approved': { elsewhere: 'test/scenarios/takeover/approval.test.ts', notOnTheLab: 'see test/e2e/service/approval.test.ts' },
};
