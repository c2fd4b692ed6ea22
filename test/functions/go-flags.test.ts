import { expect, test } from 'vitest';
import { readGoFlags } from '../../functions/cli/go-flags.ts';

test('flags of the Go program that mean nothing here are taken out, each with a line', () => {
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
    'levelset: --leader-elect is not needed: a Lease per load balancer keeps two runs apart',
    'levelset: --node-monitor-period is not needed: audit events and the sweep say what to look at',
    'levelset: --use-service-account-credentials is not needed: one ServiceAccount does all of it',
    'levelset: --concurrent-node-syncs is not needed: Nodes are read in bulk',
  ]);
});

test('-v=4 is -v 4', () => {
  expect(readGoFlags(['serve', '-v=4', '--v=2']).rest).toEqual(['serve', '-v', '4', '--v=2']);
});

test('what neither program knows stays for the parser', () => {
  expect(readGoFlags(['plan', '--toString', '--constructor=1', 'service/a/b']).rest).toEqual([
    'plan',
    '--toString',
    '--constructor=1',
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
