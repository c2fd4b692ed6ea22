import fc from 'fast-check';

const numRuns = Number(process.env['LAWS_RUNS'] ?? 60);
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns });
