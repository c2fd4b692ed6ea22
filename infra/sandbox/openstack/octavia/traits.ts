/** Which Octavia the sandbox is. */
export interface OctaviaOptions {
  /** The newest API version, such as `v2.5` (default: the lab's, v2.26). */
  readonly version?: string | undefined;
  /** The provider of load balancers that name none (default `amphora`). */
  readonly provider?: 'amphora' | 'ovn' | undefined;
  /** What a failover does: it is for administrators alone (default), mends the load balancer, or leaves it in ERROR. */
  readonly failover?: 'forbidden' | 'mends' | 'fails' | undefined;
  /** Whether certificates are found for the token of an application credential; Octavia 11 does not find them. */
  readonly secretsForCredentials?: boolean | undefined;
}

interface Provider {
  readonly name: string;
  readonly description: string;
}

export interface Flavor {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
}

export interface AvailabilityZone {
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
}

export interface OctaviaTraits {
  readonly minor: number;
  readonly provider: string;
  readonly providers: readonly Provider[];
  readonly readsForCredentials: boolean;
  readonly failover: 'forbidden' | 'mends' | 'fails';
}

const amphora: readonly Provider[] = [
  { name: 'amphora', description: 'The Octavia Amphora driver.' },
  { name: 'octavia', description: 'Deprecated alias of the Octavia Amphora driver.' },
];
const ovn: Provider = { name: 'ovn', description: 'Octavia OVN driver.' };

export function octaviaTraits(options: OctaviaOptions): OctaviaTraits {
  const minor = Number(/^v2\.(\d+)$/.exec(options.version ?? 'v2.26')?.[1]);
  if (!(minor <= 26))
    throw new Error(`the sandbox knows Octavia v2.0 to v2.26, not ${options.version ?? ''}`);
  return {
    minor,
    provider: options.provider ?? 'amphora',
    providers: options.provider === 'ovn' ? [...amphora, ovn] : amphora,
    readsForCredentials: options.secretsForCredentials === true,
    failover: options.failover ?? 'forbidden',
  };
}
