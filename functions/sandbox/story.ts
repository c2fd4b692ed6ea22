import { readdir, readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { styleText } from 'node:util';
import { reasonOf, type Report } from '../../shared/model/outcome.ts';
import { asNodeKey, asServiceKey } from '../../shared/model/request.ts';
import { renderPlan } from '../../shared/plan/render-plan.ts';
import type { SandboxAccess } from './access-files.ts';

type Example = Readonly<Record<string, unknown>> & {
  readonly kind: 'Service';
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

const EXAMPLES = new URL('../../examples/', import.meta.url);

/** The Services of the example manifests. Everything else in them needs a real cluster. */
export async function readExamples(): Promise<readonly Example[]> {
  const files = (await readdir(EXAMPLES)).filter((name) => name.endsWith('.yaml')).sort();
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, EXAMPLES), 'utf8')));
  return texts.flatMap((text) =>
    parseAllDocuments(text)
      .map((document) => document.toJS() as unknown)
      .filter(isService),
  );
}

function isService(value: unknown): value is Example {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Service';
}

/** Prints line by line what happens to Services and Nodes. In colour on a terminal, unless NO_COLOR is set. */
export class Story {
  readonly #print: (line: string) => void;
  readonly #started = performance.now();
  readonly #told = new Map<string, string>();
  readonly #settled = new Set<string>();

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  begin(url: string, { variables }: SandboxAccess, resyncToken: string): void {
    this.#print(`${styleText('bold', 'levelset')} runs against a simulated OpenStack and kube-apiserver.`);
    this.#print(`  status page   ${styleText('underline', url)}`);
    const exports = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    this.#print(`  variables     export ${exports.join(' \\\n                       ')}`);
    this.#print('  plan          npx node dist/levelset.mjs plan');
    this.#print('  kubectl       kubectl get services,nodes');
    this.#print(`  resync        curl -H 'Authorization: Bearer ${resyncToken}' ${url}/resync \\`);
    this.#print(`                  --json '{"objects": ["service/default/nginx"], "dryRun": true}'`);
    this.#print('  Ctrl-C stops it.\n');
  }

  applied({ metadata }: Example): void {
    this.#line(`${metadata.namespace ?? 'default'}/${metadata.name}`, 'cyan', 'Service applied');
  }

  joined(node: string): void {
    this.#line(`Node ${node}`, 'cyan', 'joins, and waits to be initialised');
  }

  isSettled(node: string): boolean {
    return this.#settled.has(`Node ${node}`);
  }

  end(url: string): void {
    const services = [...this.#settled].filter((name) => !name.startsWith('Node ')).length;
    const done = `Done: ${services} Services serve, and the new Node is a member of their pools.`;
    this.#print(`\n${styleText('green', done)} levelset goes on watching. Try next:`);
    this.#print(`  ${url}: open the page, and a Service on it`);
    this.#print('  in another terminal, after the export above:');
    this.#print('    npx node dist/levelset.mjs plan       says that nothing is left to do');
    this.#print('    kubectl get services,nodes            shows the addresses');
    this.#print('    npx node dist/levelset.mjs drift      finds what somebody changes in OpenStack');
    this.#print('  docs/tutorials/sandbox.md goes on from here.');
  }

  tell({ applied, plan, outcome, request, loadBalancerId, address }: Report): void {
    const [service, node] = [asServiceKey(request.key), asNodeKey(request.key)];
    // A run for most events about a Node ends before it compares anything.
    if (!service && (node === undefined || (!plan && outcome.status === 'settled'))) return;
    const name = service ? `${service.namespace}/${service.name}` : `Node ${node}`;
    if (plan && applied.length > 0) this.#line(name, 'blue', `plan\n${inShort(renderPlan(plan))}`);
    if (!this.#saysOtherwise(name, [outcome.status, reasonOf(outcome), loadBalancerId, address].join(' ')))
      return;
    if (outcome.status === 'settled') {
      const where = loadBalancerId === undefined ? '' : `load balancer ${loadBalancerId} serves at `;
      const served = address === undefined ? 'nothing is left' : styleText('bold', address);
      this.#line(name, 'green', service ? where + served : 'matches its server');
    } else this.#line(name, outcome.status === 'progressing' ? 'yellow' : 'red', reasonOf(outcome));
  }

  #saysOtherwise(name: string, state: string): boolean {
    if (state.startsWith('settled')) this.#settled.add(name);
    else this.#settled.delete(name);
    if (this.#told.get(name) === state) return false;
    this.#told.set(name, state);
    return true;
  }

  #line(name: string, colour: 'cyan' | 'blue' | 'green' | 'yellow' | 'red', text: string): void {
    const seconds = ((performance.now() - this.#started) / 1_000).toFixed(1).padStart(5);
    this.#print(`${styleText('dim', `${seconds}s`)}  ${styleText(colour, name.padEnd(24))}  ${text}`);
  }
}

/** The plan without the attributes of new resources, which the page shows. */
function inShort(plan: string): string {
  return plan
    .split('\n')
    .filter((line) => !/^ +\w+: (?![-+] )/.test(line) || line.includes(' -> '))
    .map((line) => `          ${line}`)
    .join('\n');
}
