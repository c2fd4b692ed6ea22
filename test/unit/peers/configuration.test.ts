import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { readGoFlags } from '../../../functions/cli/go-flags.ts';
import { FLAGS } from '../../../shared/config/flags.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { as, table, type Case } from './table.ts';

const WORDS = '--allocate-node-cidrs=true --authorization-always-allow-paths= --bind-address=192.0.2.41 --cert-dir=/d --cloud-config=/c --cloud-provider=openstack --cluster-cidr=10.60.0.0/16 --cluster-name=shop --concurrent-node-status-updates=3 --concurrent-node-syncs=4 --concurrent-service-syncs=2 --configure-cloud-routes=false --contention-profiling=true --controller-start-interval=3m --controllers=one,two --http2-max-streams-per-connection=33 --kube-api-burst=70 --kube-api-content-type=application/json --kube-api-qps=30.0 --kubeconfig=/k --leader-elect-lease-duration=40s --leader-elect-renew-deadline=20s --leader-elect-resource-lock=leases --leader-elect-retry-period=4s --leader-elect=false --master=192.0.2.40 --min-resync-period=90m --node-status-update-frequency=9m --profiling=false --route-reconciliation-period=40s --secure-port=10444 --use-service-account-credentials=false --webhook-bind-address=:: --webhook-disable-http2-serving=true --webhook-secure-port=10445 --webhooks=one,-two --leader-migration-config=/m --enable-leader-migration=true --permit-port-sharing=true --permit-address-sharing=true --tls-cert-file=/t --tls-private-key-file=/t --tls-cipher-suites=x --tls-min-version=VersionTLS13 --authentication-tolerate-lookup-failure=true --authentication-token-webhook-cache-ttl=20s --authorization-webhook-cache-authorized-ttl=20s --requestheader-allowed-names=x --client-ca-file=/a --feature-gates=B=true --v=5 --log-flush-frequency=6s --external-cloud-volume-plugin=x --node-sync-period=2s'; // prettier-ignore
const taken = (words: readonly string[]) => readGoFlags([...words]).rest.every((word) => Object.hasOwn(FLAGS, word.slice(2).split('=')[0] ?? '')); // prettier-ignore
table('flags of the Go program are taken', taken, [
  ...WORDS.split(' ').map((word): Case<readonly string[], boolean> => [word, [word], true]),
  ['no user-agent', [], true],
  ['one user-agent', ['--user-agent=shop/blue-7'], true],
  ['two', ['--user-agent=a/b', '--user-agent=c/d'], true],
  ['one with a blank', ['--user-agent=a b'], true],
]);

const folder = mkdtempSync(join(tmpdir(), 'levelset-peers-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const CLOUDS = { shop: { auth: { domain_name: 'inner', auth_url: 'http://other.example/v3', project_name: 'shop', username: 'root', user_id: 'u' }, region_name: 'North' } }; // prettier-ignore
writeFileSync(join(folder, 'clouds.yaml'), JSON.stringify({ clouds: CLOUDS }));
const ENV = { OS_TENANT_NAME: 'not-this', OS_PROJECT_NAME: 'not-this' };
const GLOBAL = ' [Global]\n auth-url = http://k.example/v3\n password = p\n';
const load = async (lines: string) => {
  const text = `${GLOBAL}${lines}`.replace('FOLDER', folder);
  const { openstack, loadBalancer } = (await loadConfig({}, { ...ENV, LEVELSET_CLOUD_CONFIG_TEXT: text })).config; // prettier-ignore
  const { user, project } = as<{ user: { id?: string }; project: object }>(openstack.credentials);
  const { createMonitor, monitorDelay, monitorTimeout, monitorMaxRetries, monitorMaxRetriesDown } = loadBalancer; // prettier-ignore
  return [openstack.authUrl, openstack.region, user.id, project, createMonitor, monitorDelay, monitorTimeout, monitorMaxRetries, monitorMaxRetriesDown]; // prettier-ignore
};
const YAML = 'use-clouds = true\nclouds-file = FOLDER/clouds.yaml\n[LoadBalancer]\ncreate-monitor = yes\n';
const OF_YAML = ['http://k.example/v3', 'North', 'u', { name: 'shop', domain: { name: 'inner' } }, true, 5, 3, 1, 3]; // prettier-ignore
table('cloud.conf and clouds.yaml', (lines: string) => load(lines).catch(() => 'refused'), [
  ['cloud.conf alone', ' user-id = u\n tenant-name = shop\n tenant-domain-name = Own\n region = South\n [LoadBalancer]\n create-monitor = yes\n monitor-delay = 2m\n monitor-timeout = 40s\n monitor-max-retries = 2\n monitor-max-retries-down = 4\n [Metadata]\n search-order = configDrive, metadataService\n', ['http://k.example/v3', 'South', 'u', { name: 'shop', domain: { name: 'Own' } }, true, 120, 40, 2, 4]],
  ['a cloud that is named', `cloud = shop\n${YAML}`, OF_YAML],
  ['the only cloud', YAML, OF_YAML],
  ['with a trust', `trust-id = t\n${YAML}`, OF_YAML, 466, 'refused'],
] as readonly Case<string, unknown>[]); // prettier-ignore
