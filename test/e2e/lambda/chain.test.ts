/** The functions as they are packaged for Lambda, in AWS's own runtime, from an audit event to real load balancers. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  addressOf,
  apply,
  aService,
  AUDIT_TOKEN,
  CLUSTER_NAME,
  countCalls,
  getService,
  lab,
  leaveCluster,
  nothingLeft,
  registerNode,
  RESYNC_TOKEN,
  removeServices,
  taintsOf,
  treeOf,
  until,
  writes,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import { aws } from './aws/aws.ts';
import type { Deployment } from './aws/deployment.ts';
import { tellAll, toldSince } from './aws/told.ts';

/** A machine that has other work, too, takes several times as long as one that has not. */
const LONG = { timeoutMs: 120_000 };
const PAGE_TOKEN = 'page-token-of-the-lab';
const world = labWorld({ nodes: ['e2e-lambda-1'], servers: ['e2e-lambda-2'], levelsetByTest: true });
const parts = aws([`cluster-name=${CLUSTER_NAME}`]);
let deployment: Deployment;

beforeAll(async () => {
  const { tls, listen, levelsetKubeconfig } = lab();
  deployment = await parts.deploy({
    tls: { cert: readFileSync(tls.cert, 'utf8'), key: readFileSync(tls.key, 'utf8') },
    port: Number(listen.split(':')[1]), // where the apiserver sends its audit events
    parameters: {
      '/levelset/dev/cloud.conf': await readFile(world.cloudConfig, 'utf8'),
      '/levelset/dev/kubeconfig': await readFile(levelsetKubeconfig, 'utf8'),
      '/levelset/dev/audit-tokens': AUDIT_TOKEN,
      '/levelset/dev/resync-tokens': RESYNC_TOKEN,
      '/levelset/dev/page-tokens': PAGE_TOKEN,
    },
  });
});
beforeEach(({ onTestFailed }) => {
  onTestFailed(() => tellAll(deployment));
});

afterEach(() => {
  deployment.api.isDeaf = false;
});

/** Prints how long something took, and what it cost. */
async function measured(what: string, act: () => Promise<unknown>): Promise<void> {
  const began = Date.now();
  const counter = await countCalls();
  await act();
  const seconds = ((Date.now() - began) / 1_000).toFixed(1);
  const calls = await counter.stop();
  console.log(
    `${what}: ${seconds} s, ${calls.length} calls of OpenStack, ${writes(calls).length} of them writes; ` +
      toldSince(deployment, began),
  );
}

const deploy = (ports: readonly number[]): Promise<string> =>
  apply([
    aService(
      world.namespace,
      'web',
      ports.map((port) => ({ port })),
    ),
  ]);
const membersOf = async (): Promise<readonly number[]> =>
  (await treeOf(world.namespace, 'web')).pools.map(({ members }) => members.length);
const isSettled = async (): Promise<boolean> => {
  const { loadBalancer } = await treeOf(world.namespace, 'web');
  return loadBalancer['provisioning_status'] === 'ACTIVE';
};

it('brings a Service from its audit event to its address, follows its changes and Nodes, and takes it away', async () => {
  await measured('create', async () => {
    await deploy([80]);
    await addressOf(world.namespace, 'web', LONG);
  });
  expect(await membersOf()).toEqual([1]);

  await measured('change', async () => {
    await deploy([80, 443]);
    await until(
      'two listeners',
      async () => (await treeOf(world.namespace, 'web')).listeners.length === 2,
      LONG,
    );
    await until('both have members', async () => (await membersOf()).join() === '1,1', LONG);
  });

  const [joining] = world.servers;
  if (!joining) throw new Error('no server');
  await measured('a Node joins', async () => {
    await registerNode(joining.name, { addresses: [{ type: 'InternalIP', address: joining.address }] });
    await until('it is initialised', async () => (await taintsOf(joining.name)).length === 0, LONG);
    await until('it is a member', async () => (await membersOf()).join() === '2,2', LONG);
  });
  await measured('it leaves', async () => {
    await leaveCluster(joining.name);
    await until('it is no member', async () => (await membersOf()).join() === '1,1', LONG);
  });
  await until('Octavia is at rest', isSettled, LONG);

  await measured('delete', async () => {
    await removeServices(world.namespace, ['web'], LONG);
    await nothingLeft(LONG);
  });
  expect(await deployment.depth('DeadLetters')).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
});

it('finds by the sweep what no event told, answers a resync with where to look, and shows the page to who may see it', async () => {
  deployment.api.isDeaf = true;
  await deploy([80]);
  await pause(3_000); // an event would have been there by now
  expect((await getService(world.namespace, 'web'))?.status?.loadBalancer).toEqual({});

  await measured('sweep', async () => {
    const [swept] = await deployment.tick();
    expect(swept).toMatchObject({ status: 200, functionError: undefined });
    await addressOf(world.namespace, 'web', LONG);
  });
  deployment.api.isDeaf = false;
  await until('Octavia is at rest', isSettled, LONG);

  const ask = async (
    path: string,
    token: string,
    body?: object,
    type = 'application/json',
  ): Promise<{ status: number; body: unknown }> => {
    const began = performance.now();
    const { status, text } = await deployment.api.ask(path, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'content-type': type,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    console.log(`${path}: ${status} in ${(performance.now() - began).toFixed(0)} ms`);
    return { status, body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text };
  };
  const object = `service/${world.namespace}/web`;

  expect(await ask('/resync', RESYNC_TOKEN, { objects: [object] })).toMatchObject({
    status: 202,
    body: { queued: [object], page: '/' },
  });
  const ping = { specversion: '1.0', id: 'ping', type: 'dev.knative.sources.ping', source: '/lab' };
  expect(
    await ask(`/events/${CLUSTER_NAME}`, AUDIT_TOKEN, ping, 'application/cloudevents+json'),
  ).toMatchObject({
    status: 202,
  });
  expect(await ask('/', 'wrong')).toMatchObject({ status: 401 });
  expect(await ask('/', PAGE_TOKEN)).toMatchObject({
    status: 200,
    body: {
      cluster: CLUSTER_NAME,
      rows: expect.arrayContaining([expect.objectContaining({ object })]) as unknown,
    },
  });
});

it('keeps every function within the memory that the template gives it', () => {
  expect(deployment.lambda.invocations.length).toBeGreaterThan(10);
  for (const { name, memoryMb } of deployment.template.functions) {
    const peaks = deployment.lambda.invocations
      .filter((one) => one.function === name)
      .map(({ peakMb = 0 }) => peakMb);
    expect(Math.max(0, ...peaks), name).toBeLessThan(memoryMb);
  }
});
