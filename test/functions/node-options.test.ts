import { Command } from 'commander';
import { afterEach, expect, test, vi } from 'vitest';
import { nodeOptions } from '../../functions/cli/node-options.ts';
import { withConnection, type CliFlags } from '../../functions/cli/options.ts';
import { textOf } from '../repo/files.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

function parse(...argv: readonly string[]): Partial<CliFlags> {
  return withConnection(new Command()).parse(argv, { from: 'user' }).opts();
}

test('the flags of Nodes and routes come by their names', () => {
  const flags = {
    '--controllers': '*,-route',
    '--cluster-cidr': '10.244.0.0/16',
    '--configure-cloud-routes': 'false',
    '--discover-router': 'true',
    '--allocate-node-cidrs': 'true',
    '--node-cidr-mask-size': '25',
    '--node-cidr-mask-size-ipv4': '26',
    '--node-cidr-mask-size-ipv6': '66',
    '--service-cluster-ip-range': '10.96.0.0/12',
    '--node-name-from': 'hostname',
    '--shutdown-states': 'SUSPENDED',
    '--node-deletion-share': '5%',
    '--connection-draining-timeout': '2m',
  };
  expect(parse(...Object.entries(flags).map(([name, value]) => `${name}=${value}`))).toMatchObject({
    controllers: '*,-route',
    clusterCidr: '10.244.0.0/16',
    configureCloudRoutes: 'false',
    discoverRouter: 'true',
    allocateNodeCidrs: 'true',
    nodeCidrMaskSize: '25',
    nodeCidrMaskSizeIpv4: '26',
    nodeCidrMaskSizeIpv6: '66',
    serviceClusterIpRange: '10.96.0.0/12',
    nodeNameFrom: 'hostname',
    shutdownStates: 'SUSPENDED',
    nodeDeletionShare: '5%',
    connectionDrainingTimeout: '2m',
  });
});

test.each(nodeOptions().map(({ long }) => long ?? ''))('docs/nodes.md tells of %s', (long) => {
  expect(textOf('docs/nodes.md')).toContain(`\`${long}\``);
});

test('--controllers twice is one list, and comes before its variable', () => {
  vi.stubEnv('LEVELSET_CONTROLLERS', 'service');
  expect(parse().controllers).toBe('service');
  expect(parse('--controllers=*', '--controllers', '-route').controllers).toBe('*,-route');
});
