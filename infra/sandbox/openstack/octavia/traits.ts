import { measuredOf, minorOf, type Release } from '../releases.ts';

/** Which Octavia the sandbox is. */
export interface OctaviaOptions {
  /** The release of OpenStack (default: the lab's, 2022.2); 2026.2 has a newer Octavia, Neutron and Keystone. */
  readonly release?: Release | undefined;
  /** The newest API version, such as `v2.5` (default: the release's). */
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
  /** What its release answers, by the table of releases. */
  readonly says: (what: string) => string;
  readonly hasRouteQuota: boolean;
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
  const { release = '2022.2', version = `v2.${minorOf(release)}` } = options;
  const minor = Number(/^v2\.(\d+)$/.exec(version)?.[1]);
  if (!(minor <= 30)) throw new Error(`the sandbox knows Octavia v2.0 to v2.30, not ${version}`);
  return {
    minor,
    says: (what) => measuredOf(what, release),
    hasRouteQuota: measuredOf('one route more than a router takes', release).startsWith('409'),
    provider: options.provider ?? 'amphora',
    providers: options.provider === 'ovn' ? [...amphora, ovn] : amphora,
    readsForCredentials: options.secretsForCredentials === true,
    failover: options.failover ?? 'forbidden',
  };
}
