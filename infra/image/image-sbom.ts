import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sbomOf, type Component, type Sbom } from './sbom.ts';

/** Where the Dockerfile puts the program, and where its base images have Node. */
const PROGRAM = 'app/sbom.cdx.json';
const NODES = ['nodejs/bin/node', 'usr/local/bin/node'];
const PACKAGES = 'var/lib/dpkg/status.d';

/** Of an image whose files are below `root`: the program, the packages bundled in it, Node, and the Debian packages. */
export async function imageSbom(root: string, architecture: string): Promise<Sbom> {
  const { metadata, components } = JSON.parse(await readFile(join(root, PROGRAM), 'utf8')) as Sbom;
  const { name, version } = metadata.component;
  const purl = `pkg:oci/levelset?arch=${architecture}`;
  return sbomOf({ type: 'container', 'bom-ref': purl, name, version, purl }, [
    metadata.component,
    ...components,
    await nodeComponent(root),
    ...(await debianComponents(root)),
  ]);
}

async function nodeComponent(root: string): Promise<Component> {
  const found = await Promise.all(NODES.map((path) => readFile(join(root, path)).catch(() => undefined)));
  const binary = found.find((content) => content !== undefined);
  // process.release.sourceUrl is in every binary that the project publishes
  const version = /\/node-v(\d+\.\d+\.\d+)\.tar\.gz/.exec(binary?.toString('latin1') ?? '')?.[1];
  if (binary === undefined || version === undefined)
    throw new Error(`no Node below ${root}: ${NODES.join(', ')}`);
  const purl = `pkg:generic/node@${version}`;
  return {
    type: 'platform',
    'bom-ref': purl,
    name: 'node',
    version,
    purl,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    licenses: [{ license: { id: 'MIT' } }],
    hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(binary).digest('hex') }],
  };
}

async function debianComponents(root: string): Promise<readonly Component[]> {
  const names = (await readdir(join(root, PACKAGES))).filter((name) => !name.endsWith('.md5sums'));
  return Promise.all(
    names.map(async (file) => {
      const text = await readFile(join(root, PACKAGES, file), 'utf8');
      const field = (key: string): string => new RegExp(`^${key}: (.*)$`, 'm').exec(text)?.[1] ?? '';
      const [name, version] = [field('Package'), field('Version')];
      const source = field('Source').split(' ')[0];
      const purl =
        `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}` +
        `?arch=${field('Architecture')}&distro=debian-12${source ? `&upstream=${encodeURIComponent(source)}` : ''}`;
      return { type: 'library', 'bom-ref': purl, name, version, purl } as const;
    }),
  );
}
