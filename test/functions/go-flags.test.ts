import { expect, test } from 'vitest';
import { readGoFlags } from '../../functions/cli/go-flags.ts';

test('flags of the Go program that mean nothing here are taken out, each with a line', () => {
  const argv = [
    'serve',
    '--leader-elect=true',
    '--cluster-cidr',
    '10.0.0.0/8',
    '--cluster-name',
    'blue',
    '--use-service-account-credentials',
    '--controllers=*,-route',
  ];

  const { rest, notes } = readGoFlags(argv);

  expect(rest).toEqual(['serve', '--cluster-name', 'blue']);
  expect(notes).toEqual([
    'levelset: --leader-elect is not needed: a Lease per load balancer keeps two runs apart',
    'levelset: --cluster-cidr is not needed: levelset does this in a later version',
    'levelset: --use-service-account-credentials is not needed: one ServiceAccount does all of it',
    'levelset: --controllers is not needed: only the service controller is there yet',
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
