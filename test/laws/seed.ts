import fc from 'fast-check';

/** The seed of the laws: the same worlds every time, so that a failure belongs to the change; LAWS_SEED=N for others. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['LAWS_SEED'] ?? 20_261_121) });
