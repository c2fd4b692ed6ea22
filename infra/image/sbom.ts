/** Lists of what is in a program or an image, in CycloneDX 1.6 (ECMA-424), as far as they need it. */
export interface Sbom {
  readonly $schema: string;
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

export interface Component {
  readonly type: 'application' | 'library' | 'platform' | 'container';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  /** Package URL: by it a scanner knows the package (purl-spec). */
  readonly purl: string;
  /** The name of what no package manager brought, in the databases of vulnerabilities. */
  readonly cpe?: string;
  readonly licenses?: readonly ({ readonly expression: string } | { readonly license: { id: string } })[];
  readonly hashes?: readonly { readonly alg: 'SHA-512' | 'SHA-256'; readonly content: string }[];
}

/** Without a serial number and a time, so that the same content is the same file. */
export function sbomOf(component: Component, components: readonly Component[]): Sbom {
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component },
    components: components.toSorted((a, b) => (a.purl < b.purl ? -1 : 1)),
  };
}

/** What package-lock.json says about one package. */
export interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
}

export function npmComponent(
  name: string,
  { version = '', license, integrity }: LockedPackage,
  type: Component['type'] = 'library',
): Component {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const hash = integrity?.match(/^sha512-(.+)$/)?.[1];
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(license !== undefined && {
      licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }],
    }),
    ...(hash !== undefined && {
      hashes: [{ alg: 'SHA-512' as const, content: Buffer.from(hash, 'base64').toString('hex') }],
    }),
  };
}
