/**
 * What the files below a path in `src/` may reach. Room names are folders of `src/`; `adapters` and `relay` are also
 * given file by file. A package name allows its subpaths, and a trailing `*` any ending.
 */
export type Wall = { rooms: readonly string[]; packages: readonly string[] }

/** The import boundaries of docs/architecture.md: for each file the row with the longest matching path holds. */
export const WALLS: Readonly<Record<string, Wall>> = {
  domain: { rooms: [], packages: ['viem/utils'] },
  contracts: { rooms: ['domain'], packages: [] },
  wire: { rooms: ['domain'], packages: ['typebox'] },
  relay: { rooms: ['domain'], packages: [] },
  server: { rooms: ['relay', 'wire', 'domain'], packages: ['fastify', '@fastify/*', 'ws', 'node:*'] },
  adapters: {
    rooms: ['relay/ports', 'domain'],
    packages: ['viem/utils', 'lowdb', 'pg', '@redis/client', 'jose', 'pino', 'prom-client', 'node:*'],
  },
  'adapters/chain': { rooms: ['relay/ports', 'contracts', 'domain'], packages: ['viem', 'node:*'] },
  'adapters/signer': { rooms: ['relay/ports', 'domain'], packages: ['viem', 'node:*'] },
  'adapters/keystore': { rooms: ['domain'], packages: ['ox/Keystore'] },
  'adapters/signatures': {
    rooms: ['relay/ports', 'domain'],
    packages: ['viem/utils', '@bitauth/libauth', 'node:*'],
  },
  client: { rooms: ['wire', 'contracts', 'domain'], packages: ['ws', 'eventsource-parser', 'viem'] },
  bots: { rooms: ['client', 'domain'], packages: ['viem/accounts', 'viem/utils'] },
  dashboard: { rooms: ['client', 'domain'], packages: ['ink', 'react', 'string-width'] },
  config: { rooms: ['domain'], packages: ['node:*'] },
  lib: { rooms: ['domain'], packages: ['node:*'] },
  deploy: { rooms: ['contracts', 'domain'], packages: ['viem', 'node:*'] },
  sandbox: { rooms: ['deploy', 'contracts', 'domain', 'lib'], packages: ['@viem/anvil', 'viem', 'node:*'] },
  'sandbox/cluster': { rooms: ['app', 'config', 'domain', 'lib'], packages: ['node:*'] },
  'sandbox/traders': { rooms: ['app', 'bots', 'client', 'adapters/markets', 'adapters/prices'], packages: [] },
  'sandbox/identity': { rooms: [], packages: ['jose', 'node:*'] },
  app: {
    rooms: [
      'domain',
      'contracts',
      'relay',
      'server',
      'adapters',
      'deploy',
      'sandbox/chain',
      'sandbox/identity',
      'config',
      'lib',
    ],
    packages: ['node:*'],
  },
  cli: {
    rooms: [
      'domain',
      'contracts',
      'wire',
      'relay',
      'server',
      'adapters',
      'deploy',
      'sandbox',
      'client',
      'bots',
      'dashboard',
      'config',
      'lib',
      'app',
      '../package.json',
    ],
    packages: ['commander', 'node:*'],
  },
}

/** Every room, by its folder. */
export const ROOMS = Object.keys(WALLS).filter((path) => !path.includes('/'))

/** Something that may be used in some places only; `name` as it is written, a member access included. */
export type Restriction = {
  names: readonly string[]
  onlyIn?: readonly string[]
  notIn?: readonly string[]
  why: string
}

/** Rules 3 and 4 of docs/architecture.md. */
export const RESTRICTIONS: readonly Restriction[] = [
  { names: ['process.env'], onlyIn: ['config'], why: 'settings come from config' },
  {
    names: ['console', 'process.stdout', 'process.stderr', 'process.exit'],
    onlyIn: ['cli'],
    why: 'only cli prints and ends the process',
  },
  {
    names: [
      'Date.now',
      'Date()',
      'new Date()',
      'performance',
      'setTimeout',
      'setInterval',
      'setImmediate',
      'AbortSignal.timeout',
      'Math.random',
      'crypto',
      'fetch',
      'process',
    ],
    notIn: ['domain', 'wire', 'relay'],
    why: 'time, chance and the world come in through ports',
  },
]

/** Modules that would walk around a restriction, barred everywhere. */
export const BARRED_MODULES = ['node:process', 'node:console']
