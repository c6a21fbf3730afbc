/** Every scenario. Help must not load what they need. */
export const SCENARIO_NAMES = [
  'maker-timeout',
  'late-confirm',
  'maker-declines',
  'maker-offline',
  'all-timeout',
  'bad-signature',
  'insolvent',
  'insolvent-at-commit',
  'no-price-data',
  'rpc-down',
] as const

/** The name of a scenario. */
export type ScenarioName = (typeof SCENARIO_NAMES)[number]
