/** Every call of what levelset does to a Service of its own, and to Nodes and routes, goes wrong in every way. */
import { test } from 'vitest';
import { tellMatrix } from './matrix.ts';

test(
  'whatever call of a create, an update, a replacement or a delete goes wrong, and wherever levelset is killed, sweeps end in the same world',
  { timeout: 1_800_000 },
  () =>
    tellMatrix([
      ...(['create', 'create with a certificate', 'update', 'replace, approved', 'delete'] as const),
      ...(['a certificate is renewed', 'a certificate is given up'] as const),
      ...(['node init', 'node delete', 'routes'] as const),
    ]),
);
