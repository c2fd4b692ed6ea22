import type { Endpoint, EndpointSlice, Pod, Service, ServicePort } from '../../model/kubernetes.ts';
import {
  goesToPods,
  type Endpoints,
  type PodEndpoint,
  type Policy,
  type PortEndpoints,
  type RefusedEndpoints,
} from '../../model/load-balancer/observed-service.ts';
import type { HasAddress } from '../../model/node/judged-nodes.ts';

export function localNodes(slices: readonly EndpointSlice[], service: Policy): readonly string[] {
  const names: Readonly<Record<Stage, string[]>> = { ready: [], leaving: [] };
  for (const { endpoints } of slices) {
    for (const endpoint of endpoints ?? []) {
      const stage = stageOf(endpoint, service);
      if (stage !== undefined) names[stage].push(endpoint.nodeName ?? '');
    }
  }
  const serving = [...new Set(names.ready.length > 0 ? names.ready : names.leaving)].sort();
  return serving.filter((name) => name !== '');
}

/**
 * The Pods behind each port that goes to Pods: selected by the Service, and with that IP address (decision 63); in its Node's network an address
 * that the Node names and no other device has (decision 160). A Pod is one member of a port. `most`: members of all ports together.
 */
export function readEndpoints(
  slices: readonly EndpointSlice[],
  service: Service,
  pods: readonly Pod[],
  isOfNode: HasAddress,
  most = Infinity,
): Endpoints {
  const judge = judgeOf(service.metadata.namespace, pods, isOfNode);
  const { ports = [] } = service.spec;
  const ofPort = Math.ceil(most / ports.length);
  const read = ports.map((port) => (goesToPods(service, port) ? new PortReading(port, ofPort) : undefined));
  for (const family of ['IPv4', 'IPv6']) {
    for (const slice of slices.filter(({ addressType }) => addressType === family)) {
      const judged = (slice.endpoints ?? []).flatMap((endpoint) => judge(endpoint, service));
      for (const reading of read) {
        reading?.add(slice, judged);
      }
    }
    for (const reading of read) reading?.endFamily();
  }
  return read.map((reading) => reading?.found);
}

/** An endpoint is ready, or it serves on while its Pod is leaving. */
type Stage = 'ready' | 'leaving';

/** kube-proxy takes ready endpoints (an absent condition means true), else terminating ones that serve (KEP-1669). Undefined: never. */
function stageOf({ conditions }: Endpoint, { spec }: Policy): Stage | undefined {
  if (spec.publishNotReadyAddresses === true || conditions?.ready !== false) return 'ready';
  return conditions.serving === true && conditions.terminating === true ? 'leaving' : undefined;
}

interface Judged {
  readonly stage: Stage;
  readonly address: string;
  readonly pod: string;
  /** The Pod, if it is in the network of its Node. */
  readonly onNode: Pod | undefined;
  readonly because: string | undefined;
}

const MOST_REASONS = 20;
const MORE_REASONS = `this port has more than ${MOST_REASONS} such reasons`;
const MOST_ADDRESSES = 5;

/** What one port's endpoints of one family and stage are. A Pod counts at the lowest of its numbers, in whatever order they come. */
class Found {
  any = false;
  readonly pods = new Map<string, PodEndpoint>();
  readonly refused = new Map<string, { addresses: string[]; count: number }>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add({ address, pod, because }: Judged, port: number): void {
    this.any = true;
    // Pods in the network of their Node share its address
    const its = `${address} ${pod}`;
    const before = this.pods.get(its);
    if (because !== undefined) this.#refuse(address, because);
    else if (!before && this.pods.size >= this.#most)
      this.#refuse(
        address,
        `this port has ${this.#most} members already, and --service-limits allows no more`,
      );
    else if (!before || port < before.port) this.pods.set(its, { pod, address, port });
  }

  /** Of Pods at one address and port the first by name counts. */
  get members(): readonly PodEndpoint[] {
    const first = new Map<string, PodEndpoint>();
    for (const one of this.pods.values()) {
      const at = `${one.address} ${one.port}`;
      if (one.pod <= (first.get(at)?.pod ?? one.pod)) first.set(at, one);
    }
    return [...first.values()];
  }

  #refuse(address: string, because: string): void {
    const isMore = this.refused.size >= MOST_REASONS && !this.refused.has(because);
    const reason = isMore ? MORE_REASONS : because;
    const same = this.refused.get(reason) ?? { addresses: [], count: 0 };
    this.refused.set(reason, same);
    same.count += 1;
    if (same.addresses.length >= MOST_ADDRESSES && (same.addresses.at(-1) ?? '') <= address) return;
    same.addresses = [...same.addresses, address].sort().slice(0, MOST_ADDRESSES);
  }
}

class PortReading {
  readonly #port: ServicePort;
  readonly #pods: PodEndpoint[] = [];
  readonly #refused: RefusedEndpoints[] = [];
  readonly #most: number;
  #family: Readonly<Record<Stage, Found>>;

  constructor(port: ServicePort, most: number) {
    this.#port = port;
    this.#most = most;
    this.#family = this.#newFamily();
  }

  #newFamily(): Readonly<Record<Stage, Found>> {
    return { ready: new Found(this.#most), leaving: new Found(this.#most) };
  }

  /** Slices may have different numbers for one port name. */
  add({ ports }: EndpointSlice, judged: readonly Judged[]): void {
    const { name = '', protocol = 'TCP' } = this.#port;
    const number = (ports ?? []).find(
      (one) => (one.name ?? '') === name && (one.protocol ?? 'TCP') === protocol,
    )?.port;
    if (number === undefined) return;
    for (const one of judged) {
      const because = one.because ?? whyNotPort(one.onNode, this.#port, number);
      this.#family[one.stage].add({ ...one, because }, number);
    }
  }

  endFamily(): void {
    const { ready, leaving } = this.#family;
    const { members, refused } = ready.any ? ready : leaving;
    this.#pods.push(...members);
    for (const [because, of] of refused) this.#refused.push({ because, ...of });
    this.#family = this.#newFamily();
  }

  get found(): PortEndpoints {
    return { pods: this.#pods, refused: this.#refused };
  }
}

/** An EndpointSlice may name any address, but only a kubelet writes a Pod's status. Only the first address of an endpoint counts. */
function judgeOf(
  namespace: string,
  pods: readonly Pod[],
  isOfNode: HasAddress,
): (endpoint: Endpoint, service: Policy) => readonly Judged[] {
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  return (endpoint, service) => {
    const [address] = endpoint.addresses ?? [];
    const stage = stageOf(endpoint, service);
    if (address === undefined || stage === undefined) return [];
    const name = endpoint.targetRef?.name ?? '';
    const pod = byName.get(name);
    const because = whyNoPod(endpoint, address, namespace, byName) ?? whyNotOfNode(pod, address, isOfNode);
    return [{ stage, address, pod: name, onNode: pod?.spec?.hostNetwork ? pod : undefined, because }];
  };
}

function whyNoPod(
  { targetRef }: Endpoint,
  address: string,
  namespace: string,
  pods: ReadonlyMap<string, Pod>,
): string | undefined {
  if (targetRef?.kind !== 'Pod' || targetRef.name === undefined) return 'its EndpointSlice names no Pod';
  if ((targetRef.namespace ?? namespace) !== namespace)
    return 'its EndpointSlice names a Pod of another namespace';
  const pod = pods.get(targetRef.name);
  const uid = pod?.metadata.uid;
  if (uid === undefined || (targetRef.uid ?? uid) !== uid)
    return `its EndpointSlice names Pod ${targetRef.name}, which the Service does not select`;
  // the address of a Pod that has ended stays in its status, and the network gives it to another Pod
  const phase = pod?.status?.phase ?? '';
  if (phase === 'Succeeded' || phase === 'Failed') return `Pod ${targetRef.name} has ended (${phase})`;
  const owns = (pod?.status?.podIPs ?? []).some(({ ip }) => ip === address);
  return owns ? undefined : `it is not an address of Pod ${targetRef.name}`;
}

/** Why a Pod in its Node's network does not have an address; undefined if it has, or has a network of its own. */
function whyNotOfNode(pod: Pod | undefined, address: string, isOfNode: HasAddress): string | undefined {
  const { hostNetwork = false, nodeName = '' } = pod?.spec ?? {};
  return !hostNetwork || isOfNode(nodeName, address)
    ? undefined
    : `Pod ${pod?.metadata.name ?? ''} is in the network of its Node, and the address is none at which Node ${nodeName} may be a member`;
}

/** Why a Pod in its Node's network is not reached at a port: neither it nor the Service names it, so it may be the kubelet's (decision 63). */
function whyNotPort(
  pod: Pod | undefined,
  { port, targetPort = port, protocol = 'TCP' }: ServicePort,
  number: number,
): string | undefined {
  const { containers = [], initContainers = [] } = pod?.spec ?? {};
  const has = [...containers, ...initContainers].some(({ ports = [] }) =>
    ports.some((one) => one.containerPort === number && (one.protocol ?? 'TCP') === protocol),
  );
  return !pod || targetPort === number || has
    ? undefined
    : `Pod ${pod.metadata.name} is in the network of its Node, and neither a port of it nor the targetPort of the Service is ${number}`;
}
