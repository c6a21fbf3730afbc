/**
 * What the files below a path in `src/` may reach. Folder names are folders of `src/`; `adapters` and `relay` are also
 * given file by file, and a single file by its name. A package name allows its subpaths, and a trailing `*` any ending.
 */
export type Boundary = { folders: readonly string[]; packages: readonly string[] }

/** The import boundaries of docs/architecture.md: for each file the row with the longest matching path holds. */
export const BOUNDARIES: Readonly<Record<string, Boundary>> = {
  domain: { folders: [], packages: ['viem/utils'] },
  contracts: { folders: ['domain'], packages: [] },
  wire: { folders: ['domain'], packages: ['typebox'] },
  relay: { folders: ['domain', 'lib/repeat.ts', 'lib/counts.ts'], packages: ['toad-cache'] },
  relayer: { folders: ['relay/ports', 'domain'], packages: [] },
  lister: { folders: ['relayer/limits.ts', 'domain'], packages: [] },
  server: { folders: ['relay', 'relayer', 'wire', 'domain'], packages: ['fastify', '@fastify/*', 'ws', 'node:*'] },
  adapters: {
    folders: ['relay/ports', 'domain', 'lib/retry.ts', 'lib/repeat.ts', 'lib/counts.ts'],
    packages: ['viem/utils', 'lowdb', 'pg', '@redis/client', 'jose', 'pino', 'prom-client', 'toad-cache', 'node:*'],
  },
  'adapters/chain': { folders: ['relay/ports', 'contracts', 'domain', 'lib/retry.ts'], packages: ['viem', 'node:*'] },
  'adapters/relayer': {
    folders: ['relayer', 'client', 'relay/ports', 'contracts', 'domain', 'lib/retry.ts'],
    packages: ['viem', 'prom-client', 'node:*'],
  },
  'adapters/lister': { folders: ['lister', 'client'], packages: ['viem'] },
  'adapters/signer': {
    folders: ['adapters/chain/limiter.ts', 'relay/ports', 'wire', 'domain', 'lib/private-file.ts'],
    packages: ['node:*'],
  },
  'adapters/telemetry': { folders: ['relay/ports', 'domain'], packages: ['@opentelemetry/*', 'node:*'] },
  'adapters/keystore': { folders: ['domain'], packages: ['ox/Keystore'] },
  'adapters/signing': { folders: ['relay/ports', 'domain'], packages: ['viem', '@bitauth/libauth', 'node:*'] },
  client: { folders: ['wire', 'contracts', 'domain', 'lib/retry.ts'], packages: ['ws', 'eventsource-parser', 'viem'] },
  bots: { folders: ['client', 'domain'], packages: ['viem/accounts', 'viem/utils'] },
  dashboard: { folders: ['client', 'domain', 'lib/format.ts'], packages: [] },
  'dashboard/terminal': { folders: ['client', 'domain', 'lib'], packages: ['ink', 'react'] },
  web: {
    folders: ['client', 'dashboard', 'domain', 'lib/format.ts'],
    packages: ['react', 'react-dom', 'viem'],
  },
  'web/reference': { folders: [], packages: ['eventsource-parser'] },
  config: { folders: ['domain'], packages: ['node:*'] },
  lib: { folders: ['domain'], packages: ['string-width', 'node:*'] },
  'lib/retry': { folders: [], packages: [] },
  'lib/repeat': { folders: [], packages: [] },
  'lib/counts': { folders: [], packages: [] },
  deploy: { folders: ['contracts', 'domain'], packages: ['viem', 'node:*'] },
  sandbox: { folders: ['deploy', 'contracts', 'domain', 'lib'], packages: ['@viem/anvil', 'viem', 'node:*'] },
  'sandbox/cluster': { folders: ['app', 'config', 'domain', 'lib'], packages: ['node:*'] },
  'sandbox/scenarios': {
    folders: ['app', 'bots', 'client', 'adapters/markets', 'adapters/prices', 'config', 'contracts', 'domain', 'lib'],
    packages: ['node:*'],
  },
  'sandbox/identity': { folders: [], packages: ['jose', 'node:*'] },
  app: {
    folders: [
      'domain',
      'contracts',
      'relay',
      'relayer',
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
    folders: [
      'domain',
      'contracts',
      'wire',
      'relay',
      'relayer',
      'lister',
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

/** Every folder, by its folder. */
export const FOLDERS = Object.keys(BOUNDARIES).filter((path) => !path.includes('/'))

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
    notIn: ['domain', 'wire', 'relay', 'relayer', 'lister'],
    why: 'time, chance and the world come in through ports',
  },
]

/** Modules that would walk around a restriction, barred everywhere. */
export const BARRED_MODULES = ['node:process', 'node:console']
