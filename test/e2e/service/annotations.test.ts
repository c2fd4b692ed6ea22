/** Every annotation's example on a real cloud: applied, seen, and taken away again; a few Services have many each. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXAMPLES, isOnlyAtCreate, isShown, withIds } from '../../support/annotation-examples.ts';
import type { Example } from '../../support/annotation-examples.ts';
import type { Annotations } from '../../support/annotation-entries.ts';
import { exampleThings, type ExampleThings } from '../fixtures/example-things.ts';
import {
  aNamespace,
  apply,
  aService,
  getService,
  lab,
  needsControl,
  nothingLeft,
  removeNamespace,
  removeNodes,
  someNodes,
  startLevelset,
  stopAllLevelsets,
  until,
  type LabNode,
} from '../lab/lab.ts';
import { usePassword } from '../lab/environment.ts';
import { shownOf } from '../lab/shown.ts';

const HERE = EXAMPLES.filter(({ entry }) => entry.notOnTheLab === undefined);
const CANNOT = EXAMPLES.flatMap(({ name, entry: { notOnTheLab: reason } }) =>
  reason === undefined ? [] : [[name, reason] as const],
);
const SERVICES = [...new Set(HERE.map(serviceOf))];

let nodes: readonly LabNode[] = [];
let namespace = '';
let things: ExampleThings;

beforeAll(async () => {
  if (!lab().controllable) return;
  nodes = await someNodes(['e2e-annotated-1', 'e2e-annotated-2', 'e2e-annotated-3']);
  things = await exampleThings();
  usePassword();
  await startLevelset({ cloudConfig: lab().cloudConfig });
  namespace = await aNamespace();
});
afterAll(async () => {
  if (!lab().controllable) return;
  await removeNamespace(namespace);
  await nothingLeft({ timeoutMs: 120_000 });
  await stopAllLevelsets();
  await removeNodes(nodes);
  await things.remove();
});
beforeEach((context) => {
  needsControl(context);
});

/** Those that go together on one Service. */
function serviceOf({ entry }: Example): string {
  return (entry.on ?? 'plain').replaceAll(' ', '-');
}

function namesOfNodes(text: string): string {
  return text.replaceAll(/node-(\d)/g, 'e2e-annotated-$1');
}

/** The example of a row as this lab is asked for it. */
const valueOf = ({ row }: Example): string => namesOfNodes(withIds(row.example, things.ids));

const examplesOf = (service: string): readonly Example[] =>
  HERE.filter((example) => serviceOf(example) === service);

/** All that the examples of a Service need, and they themselves; some only count when it is made. */
function annotationsOf(service: string, wanted: (example: Example) => boolean): Annotations {
  const examples = examplesOf(service).filter(wanted);
  const needed = examples.flatMap(({ entry }) => Object.entries(entry.needs ?? {}));
  return Object.fromEntries([
    ...needed.map(([name, text]) => [name, withIds(text, things.ids)]),
    ...examples.map((example) => [example.name, valueOf(example)]),
  ]) as Annotations;
}

const deploy = (service: string, annotations: Annotations): Promise<string> =>
  apply([aService(namespace, service, [{ port: 80 }], { annotations: { ...annotations } })]);

const seen = async (service: string): Promise<Readonly<Record<string, boolean>>> => {
  const now = await until(`${service} to be at rest`, () => shownOf(namespace, service), {
    timeoutMs: 90_000,
  });
  return Object.fromEntries(
    examplesOf(service).map((example) => [example.name, isShown(example, valueOf(example), now)]),
  );
};

/** Waits until the cloud shows exactly this; what it does not, if it never does. */
async function differs(
  service: string,
  wanted: Readonly<Record<string, boolean>>,
): Promise<readonly string[]> {
  let wrong: readonly string[] = [];
  const isRight = async (): Promise<boolean> => {
    const now = await seen(service);
    wrong = Object.keys(wanted).filter((name) => now[name] !== wanted[name]);
    return wrong.length === 0;
  };
  await until(`${service} to show its examples`, isRight, { timeoutMs: 120_000, everyMs: 500 }).catch(
    () => undefined,
  );
  return wrong.map((name) => `${service}: ${name} is ${wanted[name] ? 'not seen' : 'still seen'}`);
}

async function saidOf(service: string): Promise<readonly string[]> {
  const { status } = (await getService(namespace, service)) ?? {};
  const ready = status?.conditions?.find(({ type }) => type.endsWith('/Ready'));
  // the authority of this test lives for a day, which is said
  const said = ready?.message.split('\n').slice(1) ?? ['no condition'];
  return said.filter((line) => !line.includes('client-ca-tls-container-ref') || !line.includes('expires on'));
}

const all = (service: string, wanted: (example: Example) => boolean): Readonly<Record<string, boolean>> =>
  Object.fromEntries(
    examplesOf(service)
      .filter(wanted)
      .map(({ name }) => [name, true]),
  );

const deployAll = async (wanted: (example: Example) => boolean): Promise<void> => {
  await Promise.all(SERVICES.map((service) => deploy(service, annotationsOf(service, wanted))));
};

describe('the examples', () => {
  const before = new Map<string, Readonly<Record<string, boolean>>>();

  it('that count only when a load balancer is made are there from the beginning', async () => {
    await deployAll(isMadeWith);
    const wrong: string[] = [];
    for (const service of SERVICES) {
      wrong.push(...(await differs(service, all(service, isMadeWith))));
      before.set(service, await seen(service));
    }
    expect(wrong).toEqual([]);
  });

  it('do what they say, all of them at once, without a word of complaint', async () => {
    await deployAll(() => true);
    const wrong: string[] = [];
    for (const service of SERVICES) {
      wrong.push(
        ...(await differs(
          service,
          all(service, () => true),
        )),
      );
      wrong.push(...(await saidOf(service)).map((line) => `${service}: ${line}`));
    }
    expect(wrong).toEqual([]);
  });

  it('leave nothing behind when they go', async () => {
    await deployAll(isMadeWith);
    const wrong: string[] = [];
    for (const service of SERVICES) wrong.push(...(await differs(service, before.get(service) ?? {})));
    expect(wrong).toEqual([]);
  });
});

function isMadeWith({ row }: Example): boolean {
  return isOnlyAtCreate(row);
}

describe('what the lab cannot show', () => {
  it.for(CANNOT)('%s', ([, reason], context) => {
    context.skip(reason); // said in the report
  });
});
