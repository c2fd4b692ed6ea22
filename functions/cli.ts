#!/usr/bin/env node
const major = Number.parseInt(process.versions.node, 10);
if (major < 22) {
  console.error(
    `levelset needs Node 22 or newer (it is tested with 24); this is ${process.version}. In a checkout, npx node runs the one that npm ci brought`,
  );
  process.exitCode = 1;
} else {
  // whoever reads it, such as head, may have enough
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  const { main } = await import('./cli/main.ts');
  process.exitCode = await main(process.argv.slice(2));
  setTimeout(() => process.exit(), 1_000).unref(); // a call that hangs, and that nobody waits for, does not hold up the end
}
