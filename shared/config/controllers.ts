import { didYouMean } from '../model/text/did-you-mean.ts';
import { itemsOf, NotAllowed, type Read } from './read-value.ts';

/** The loops of a cloud-controller-manager, with their aliases (docs/sources/kubernetes.md, "Flags of the cloud-controller-manager"). */
const ALIASES = {
  'service-lb-controller': 'service',
  'cloud-node-controller': 'cloud-node',
  'cloud-node-lifecycle-controller': 'cloud-node-lifecycle',
  'node-route-controller': 'route',
} as const;

export type ControllerName = keyof typeof ALIASES;

export const CONTROLLER_NAMES = Object.keys(ALIASES) as readonly ControllerName[];

const KNOWN = CONTROLLER_NAMES.map((name) => `${name} (${ALIASES[name]})`).join(', ');

/** `--controllers`: `*` is all, `-name` turns one off; the first item that names it counts. Without `*` only named ones are on. */
export const controllersList: Read<readonly ControllerName[]> = (value) => {
  const given = itemsOf(value);
  const items = given.length === 0 ? ['*'] : given;
  const unknown = items.filter((item) => item !== '*' && nameOf(item) === undefined);
  if (unknown.length > 0) {
    const hint = didYouMean(bare(unknown[0] ?? ''), [...CONTROLLER_NAMES, ...Object.values(ALIASES)]);
    return new NotAllowed(`*, ${KNOWN}, each with a - before it to turn it off${hint}`, unknown);
  }
  const on = CONTROLLER_NAMES.filter((name) => isOn(name, items));
  return on.length > 0
    ? on
    : new NotAllowed('a list that leaves a controller on; it may begin with *, such as *,-route');
};

function isOn(name: ControllerName, items: readonly string[]): boolean {
  const first = items.find((item) => nameOf(item) === name);
  return first === undefined ? items.includes('*') : !first.startsWith('-');
}

function nameOf(item: string): ControllerName | undefined {
  return CONTROLLER_NAMES.find((name) => name === bare(item) || ALIASES[name] === bare(item));
}

function bare(item: string): string {
  return item.replace(/^-/, '');
}

interface Controlled {
  readonly controllers: readonly ControllerName[];
}

export function looksAfterServices(config: Controlled & { loadBalancer: { enabled: boolean } }): boolean {
  return config.loadBalancer.enabled && config.controllers.includes('service-lb-controller');
}

export function looksAfterNodes(config: Controlled): boolean {
  return (
    config.controllers.includes('cloud-node-controller') ||
    config.controllers.includes('cloud-node-lifecycle-controller')
  );
}

export function looksAfterRoutes(config: Controlled & { route?: object }): boolean {
  return config.route !== undefined && config.controllers.includes('node-route-controller');
}
