import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { writeCloudConfig, type Sections } from './cloud-config.ts';
import { lab, usePassword } from './environment.ts';
import { aNamespace, removeNamespace } from './kubernetes.ts';
import { nothingLeft, withoutServices } from './leftovers.ts';
import { startLevelset, stopAllLevelsets, type Levelset } from './levelset.ts';
import { removeNodes, someNodes } from '../fixtures/nodes.ts';
import { someServers, type LabNode } from '../fixtures/servers.ts';

/** What the tests of a file stand on; there from its first `beforeAll` on, the namespace from each `beforeEach`. */
export interface LabWorld {
  /** Servers with their Nodes. */
  readonly nodes: readonly LabNode[];
  /** Servers without. */
  readonly servers: readonly LabNode[];
  /** Another one for each test. */
  readonly namespace: string;
  /** Path of the cloud.conf that levelset runs with. */
  readonly cloudConfig: string;
  /** Not with `levelsetByTest`. */
  readonly levelset: Levelset;
}

export interface LabWorldOptions {
  /** Names, which no other file has. */
  readonly nodes?: readonly string[];
  readonly servers?: readonly string[];
  /** What cloud.conf says beside the usual. */
  readonly cloudConfig?: Sections;
  /** True: levelset has its user's password, and not a credential with access rules. */
  readonly withPassword?: boolean;
  /** True: a test starts it when it needs it, and it is stopped when the test is over. */
  readonly levelsetByTest?: boolean;
  /** How long levelset may take to put everything away after a test; 60 s when not said. */
  readonly goneWithinMs?: number;
}

/**
 * Nodes and levelset for the tests of a file, and a namespace for each; after each nothing may be left in the cloud. To be
 * called once, at the top.
 *
 * Own hooks come below it: vitest runs `before...` in the order of the file and `after...` in the reverse one, so they find
 * everything in place. What may go only when all this is gone, a port that was a VIP, goes by `onTestFinished` or by what a
 * `beforeAll` returns.
 */
export function labWorld(options: LabWorldOptions): LabWorld {
  const { goneWithinMs = 60_000, levelsetByTest = false } = options;
  type Made = { -readonly [Key in keyof LabWorld]: LabWorld[Key] };
  const made = { nodes: [], servers: [], namespace: '', cloudConfig: '' } as unknown as Made;
  beforeAll(async () => {
    if (options.withPassword) usePassword();
    made.nodes = await someNodes(options.nodes ?? []);
    made.servers = await someServers(options.servers ?? []);
    made.cloudConfig = options.cloudConfig
      ? await writeCloudConfig('of-this-file', options.cloudConfig)
      : lab().cloudConfig;
    if (!levelsetByTest) made.levelset = await startLevelset({ cloudConfig: made.cloudConfig });
  });
  afterAll(async () => {
    await stopAllLevelsets();
    await removeNodes([...made.nodes, ...made.servers]);
  });
  beforeEach(async () => {
    made.namespace = await aNamespace();
  });
  afterEach(async () => {
    if (made.namespace === '') return;
    await removeNamespace(made.namespace);
    await nothingLeft({ timeoutMs: goneWithinMs });
    await withoutServices(made.namespace);
    if (levelsetByTest) await stopAllLevelsets();
  });
  return made;
}
