import { readFileSync } from 'node:fs'

type Manifest = { version: string; engines: { node: string }; peerDependencies: Readonly<Record<string, string>> }

export const readManifest = (): Manifest =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

export const readVersion = (): string => readManifest().version
