/**
 * `npm run build`: the program to dist/levelset.mjs with dist/chunks and the list of the packages in it, each function to
 * dist/functions/NAME.mjs and, with its chunks and source maps, NAME.zip.
 */
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { compileScript } from './functions/page/compile-script.ts';
import { builtinsByRequire } from './infra/aws/builtins-by-require.ts';
import { withoutHttp2 } from './infra/aws/without-http2.ts';
import { zipFile } from './infra/aws/zip-file.ts';
import { programSbom } from './infra/image/program-sbom.ts';

/** The list of packages, in CycloneDX. */
export const SBOM = 'sbom.cdx.json';
export const FUNCTIONS = ['audit', 'events', 'resync', 'status', 'reconcile', 'sweep'] as const;

export interface Bundle {
  readonly name: string;
  /** Its files, those that are loaded lazily too; the entry first. */
  readonly files: readonly string[];
  /** Bytes that are loaded at start: the entry and what it imports statically. */
  readonly eager: number;
  /** Source files among them, as esbuild names them. */
  readonly eagerSources: readonly string[];
  /** Source files of everything. */
  readonly sources: readonly string[];
  readonly total: number;
}

/** Puts the compiled script of the pages in the place of the file that compiles it. */
const withPageScript: Plugin = {
  name: 'page-script',
  setup: (plugin) => {
    plugin.onLoad({ filter: /\/functions\/page\/page-script\.ts$/ }, async () => {
      const script = JSON.stringify(await compileScript(build));
      return { contents: `export const pageScript = () => Promise.resolve(${script});` };
    });
  },
};

/** What the program is built for. A checkout starts on an older Node, since `npm ci` brings this one along. */
const NODE = 24;

const OPTIONS = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: `node${NODE}`,
  minify: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  logLevel: 'warning',
  legalComments: 'none',
  outExtension: { '.js': '.mjs' },
  banner: {
    js: "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);",
  },
  alias: {
    'cacheable-request': './infra/aws/no-cacheable-request.ts',
    'body-parser': './infra/aws/no-body-parser.ts',
    // express looks up nothing but what levelset answers with
    'mime-db': './infra/aws/media-types.json',
    // the same code as an ES module: a chunk made of CommonJS has no named exports
    yaml: './node_modules/yaml/browser/dist/index.js',
  },
  plugins: [withoutHttp2, builtinsByRequire, withPageScript],
  define: { 'process.env.NODE_ENV': '"production"', 'Intl.ListFormat': 'LazyListFormat' },
  inject: ['./infra/aws/lazy-list-format.ts'],
} satisfies BuildOptions;

/** Builds everything below `directory`; what was there before is gone. */
export async function buildAll(directory: string): Promise<readonly Bundle[]> {
  const program = await buildProgram(directory);
  return [program, ...(await buildFunctions(directory))];
}

/** The program alone: levelset.mjs, its chunks, and SBOM, the packages that are bundled in it. */
export async function buildProgram(directory: string): Promise<Bundle> {
  await rm(directory, { recursive: true, force: true });
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: { levelset: 'functions/cli.ts' },
    outdir: directory,
    metafile: true,
  });
  await chmod(`${directory}/levelset.mjs`, 0o755);
  const sbom = programSbom(bundledFiles(metafile), import.meta.dirname);
  await writeFile(`${directory}/${SBOM}`, `${JSON.stringify(sbom, null, 2)}\n`);
  return measure('levelset', `${relative('.', directory)}/levelset.mjs`, metafile);
}

/** The package.json of the package: it runs on what it is built for. */
export async function writeManifest(directory: string): Promise<void> {
  const manifest = JSON.parse(await readFile(`${import.meta.dirname}/package.json`, 'utf8')) as object;
  const text = JSON.stringify({ ...manifest, engines: { node: `>=${NODE}` } }, undefined, 2);
  await writeFile(`${directory}/package.json`, `${text}\n`);
}

/** Each function by itself, with chunks for what is loaded lazily: those that functions share would be ten more files to open. */
async function buildFunctions(directory: string): Promise<readonly Bundle[]> {
  return Promise.all(FUNCTIONS.map((name) => buildFunction(name, directory)));
}

/** With source maps, which cost nothing until Node is told to use them. */
async function buildFunction(name: string, directory: string): Promise<Bundle> {
  const { metafile } = await build({
    ...OPTIONS,
    chunkNames: `functions/${OPTIONS.chunkNames}`,
    entryPoints: { [`functions/${name}`]: `functions/lambda/${name}.ts` },
    outdir: directory,
    metafile: true,
    sourcemap: 'linked',
    sourcesContent: false,
  });
  const root = relative('.', directory);
  const bundle = measure(name, `${root}/functions/${name}.mjs`, metafile);
  const entries = bundle.files
    .flatMap((path) => [path, `${path}.map`])
    .map(async (path) => ({ name: relative(root, path), content: await readFile(path) }));
  await writeFile(`${root}/functions/${name}.zip`, zipFile(await Promise.all(entries)));
  return bundle;
}

/** The source files of which something is in an output. */
function bundledFiles({ outputs }: Metafile): readonly string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  return [...new Set(inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path))];
}

function measure(name: string, entry: string, { outputs }: Metafile): Bundle {
  const reach = (lazily: boolean): readonly string[] => {
    const found = new Set([entry]);
    for (const path of found) {
      for (const { path: next, kind, external } of outputs[path]?.imports ?? []) {
        if (!external && (lazily || kind !== 'dynamic-import')) found.add(next);
      }
    }
    return [...found];
  };
  const bytes = (paths: readonly string[]): number =>
    paths.reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
  const sourcesOf = (paths: readonly string[]): readonly string[] =>
    paths.flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
  const eager = reach(false);
  const files = reach(true);
  return {
    name,
    files,
    eager: bytes(eager),
    eagerSources: sourcesOf(eager),
    sources: sourcesOf(files),
    total: bytes(files),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const started = performance.now();
  const bundles = await buildAll('dist');
  const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} kB`.padStart(8);
  console.log('bundle        at start      all');
  for (const { name, eager, total } of bundles) {
    console.log(`${name.padEnd(12)}${kilobytes(eager)} ${kilobytes(total)}`);
  }
  console.log(`built in ${((performance.now() - started) / 1_000).toFixed(1)} s`);
}
