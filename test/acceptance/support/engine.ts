const ENGINES = ['simulator', 'qemu', 'incus'] as const;

/** The compute engine of the service under test, from the environment, like the database. */
export const ENGINE = ENGINES.find((engine) => engine === process.env.VAUBAN_TEST_COMPUTE) ?? 'simulator';
