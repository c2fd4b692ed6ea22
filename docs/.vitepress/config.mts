/** The site: `npm run docs` builds it into dist/site, without a network. A link that leads nowhere fails the build. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type DefaultTheme, type MarkdownOptions } from 'vitepress';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link: `/docs/${link}` });

/**
 * A link to a file of the project that is no page of the site becomes its text: the site has pages alone. One to a file that is not
 * there fails the build, as VitePress does for pages.
 */
const keepToPages: MarkdownOptions['config'] = (markdown) => {
  markdown.core.ruler.push('keep-to-pages', ({ tokens, env }) => {
    const { relativePath } = env as { relativePath: string };
    for (const { children } of tokens) {
      let isOutside = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') isOutside = isNoPage(relativePath, token.attrGet('href') ?? '');
        if (!isOutside || (token.type !== 'link_open' && token.type !== 'link_close')) continue;
        if (token.type === 'link_close') isOutside = false;
        token.type = 'text';
        token.tag = '';
        token.content = '';
        token.nesting = 0;
      }
    }
  });
};

function isNoPage(from: string, href: string): boolean {
  const [path = ''] = href.split('#');
  const target = normalize(join(dirname(from), path));
  const isPage = path.endsWith('.md') && !/^(?:test|infra\/lab)\//.test(target);
  if (path === '' || /^[a-z]+:/.test(path) || isPage) return false;
  if (!existsSync(join(ROOT, target))) throw new Error(`${from}: nothing is at ${href}`);
  return true;
}

/** As GitHub makes them of headings: links lead to the same place on both. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

export default defineConfig({
  title: 'levelset',
  description: 'A cloud controller for Kubernetes on OpenStack',
  srcDir: ROOT,
  srcExclude: ['dist/**', 'coverage/**', 'my-cluster/**', 'test/**', 'infra/lab/**'],
  rewrites: { 'README.md': 'index.md' },
  outDir: join(ROOT, 'dist/site'),
  cacheDir: join(ROOT, 'node_modules/.cache/vitepress'),
  markdown: { config: keepToPages, anchor: { slugify: anchorOf } },
  themeConfig: {
    search: { provider: 'local' },
    nav: [{ text: 'Changelog', link: '/CHANGELOG' }],
    outline: { level: [2, 3] },
    sidebar: [
      {
        text: 'Tutorials',
        items: [
          page('Sandbox', 'tutorials/sandbox'),
          page('A cluster', 'tutorials/cluster'),
          page('kubeadm', 'tutorials/kubeadm'),
          page('k3s', 'tutorials/k3s'),
          page('Magnum', 'tutorials/magnum'),
          page('Cluster API', 'tutorials/cluster-api'),
          page('AWS Lambda', 'tutorials/lambda'),
          page('Knative', 'tutorials/knative'),
        ],
      },
      {
        text: 'How-to',
        items: [
          page('All of them', 'how-to/index'),
          page('TLS', 'how-to/tls'),
          page('Sharing', 'how-to/sharing'),
          page('Dual stack', 'how-to/dual-stack'),
          page('Source addresses', 'how-to/source-addresses'),
          page('Out of OCCM', 'how-to/out-of-occm'),
          page('A pilot with a class', 'how-to/pilot'),
          page('Migration and the way back', 'migration'),
          page('MetalLB beside it', 'how-to/metallb'),
          page('IPVS and ipMode', 'how-to/ipvs'),
          page('Clusters that are deleted', 'how-to/deleted-clusters'),
          page('kubelet', 'how-to/kubelet'),
          page('The audit webhook', 'how-to/audit-webhook'),
          page('Cost of audit', 'how-to/audit'),
          page('Before an upgrade', 'how-to/upgrade'),
          page('Mistakes in Services', 'how-to/mistakes'),
          page('The status page', 'how-to/page'),
          page('Uninstall', 'how-to/uninstall'),
          page('Troubleshooting', 'troubleshooting'),
        ],
      },
      {
        text: 'Reference',
        items: [
          page('Annotations', 'annotations'),
          page('cloud.conf', 'reference/cloud-conf'),
          page('Flags and variables', 'flags'),
          page('Commands', 'reference/commands'),
          page('HTTP endpoints', 'reference/endpoints'),
          page('Metrics', 'reference/metrics'),
          page('Events', 'reference/events'),
          page('Error codes', 'reference/error-codes'),
          page('Rights', 'rights'),
          page('What it runs with', 'support'),
        ],
      },
      {
        text: 'Operations',
        items: [
          { text: 'Monitoring', link: '/infra/monitoring/README' },
          page('Objectives', 'slo'),
          page('Runbooks', 'runbooks/README'),
          page('Runbook of each error code', 'runbooks/error-codes'),
        ],
      },
      {
        text: 'Explanation',
        items: [
          page('Design', 'design'),
          page('Nodes and routes', 'nodes'),
          page('Many clusters', 'clusters'),
          page('The fleet', 'fleet'),
          page('Beside others', 'beside-others'),
          { text: 'Security', link: '/SECURITY' },
          page('Decisions', 'decisions'),
        ],
      },
    ],
  },
});
