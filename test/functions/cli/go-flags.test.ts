import { expect, test } from 'vitest';
import { readGoFlags } from '../../../functions/cli/go-flags.ts';

test('flags of the Go program that have no effect are taken out, each with a note', () => {
  const argv = [
    'serve',
    '--leader-elect=true',
    '--node-monitor-period',
    '5s',
    '--cluster-name',
    'blue',
    '--use-service-account-credentials',
    '--concurrent-node-syncs=2',
    '--controllers=*,-route',
  ];

  const { rest, notes } = readGoFlags(argv);

  expect(rest).toEqual(['serve', '--cluster-name', 'blue', '--controllers=*,-route']);
  expect(notes).toEqual([
    'levelset ignores --leader-elect: of its processes one always leads, by the Lease `levelset`',
    'levelset ignores --node-monitor-period: audit events and the sweep tell it what to look at',
    'levelset ignores --use-service-account-credentials: it has one ServiceAccount',
    'levelset ignores --concurrent-node-syncs: it reads Nodes in bulk',
  ]);
});

test('-v=4 is -v 4', () => {
  expect(readGoFlags(['serve', '-v=4', '--v=2']).rest).toEqual(['serve', '-v', '4', '--v=2']);
});

test('what neither program knows stays for the parser, without its value', () => {
  expect(readGoFlags(['plan', '--toString', '--constructor=1', 'service/a/b']).rest).toEqual([
    'plan',
    '--toString',
    '--constructor',
    'service/a/b',
  ]);
});

test('a boolean that both programs have needs no value', () => {
  const argv = ['sweep', '--allocate-node-cidrs', '--configure-cloud-routes=false', '--dry-run'];
  expect(readGoFlags(argv)).toEqual({
    rest: ['sweep', '--allocate-node-cidrs=true', '--configure-cloud-routes=false', '--dry-run'],
    notes: [],
  });
});

test.each([
  ['serving', '--cert-dir /tmp/x --tls-min-version VersionTLS13 --permit-port-sharing --secure-port=10258'],
  [
    'who may call',
    '--requestheader-allowed-names= --authentication-tolerate-lookup-failure --authorization-webhook-cache-unauthorized-ttl 30s',
  ],
  ['webhooks', '--webhooks=*,-node --webhook-secure-port 10260 --webhook-disable-http2-serving'],
  ['the election', '--enable-leader-migration --leader-migration-config=/etc/x'],
  [
    'logging, old and new',
    '--log-flush-frequency 5s --alsologtostderr --stderrthreshold=2 --log-text-split-stream',
  ],
  ['metrics and profiling', '--contention-profiling=false --show-hidden-metrics-for-version=1.35'],
  [
    'the rest',
    '--master https://192.0.2.7:6443 --external-cloud-volume-plugin=openstack --http2-max-streams-per-connection 9',
  ],
])('what a manifest of the Go program says of %s is taken, each with a note', (_, text) => {
  const words = text.split(' ');
  const { rest, notes } = readGoFlags(['serve', ...words, '--cluster-name=blue']);
  expect(rest).toEqual(['serve', '--cluster-name=blue']);
  expect(notes).toHaveLength(words.filter((word) => word.startsWith('--')).length);
});
