import { createRequire } from 'node:module'
import { CliError } from '@rfqctl/lib/cli-error'
import { readManifest } from '@rfqctl/lib/version'
import type { SettingName, Values } from './definitions.ts'

/** npm installs these on request only: package.json has them as optional peers. */
const PACKAGES = {
  DATABASE_URL: ['pg'],
  REDIS_URL: ['@redis/client'],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    '@opentelemetry/api',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace-base',
  ],
} as const satisfies Partial<Record<SettingName, readonly string[]>>

type PackagedSetting = keyof typeof PACKAGES

type IsInstalled = (name: string) => boolean

/** Throws a `CliError` `package_missing` where npm did not install what a setting needs. */
export function assertPackages(setting: PackagedSetting, isInstalled?: IsInstalled): void {
  const missing = missingFor(setting, isInstalled)
  if (missing !== null) throw new CliError(missing.message, { code: 'package_missing', hint: missing.hint })
}

/** Names what npm did not install for the settings that are set, with the remedy. */
export const checkPackages = (values: Pick<Values, PackagedSetting>, isInstalled?: IsInstalled): string[] =>
  (Object.keys(PACKAGES) as PackagedSetting[]).flatMap((setting) => {
    const missing = values[setting] === null ? null : missingFor(setting, isInstalled)
    return missing === null ? [] : [`${missing.message}: ${missing.hint}`]
  })

function missingFor(setting: PackagedSetting, isInstalled: IsInstalled = canResolve) {
  const names = PACKAGES[setting].filter((name) => !isInstalled(name))
  if (names.length === 0) return null
  const nouns = names.length === 1 ? 'the package' : 'the packages'
  const are = names.length === 1 ? 'is' : 'are'
  return {
    message: `${setting} needs ${nouns} ${names.join(', ')}, which ${are} not installed`,
    hint: `npm install ${names.map(withVersion).join(' ')}`,
  }
}

/** The part of a version that an upgrade keeps: `pg@8`, and below 1 the minor version, too. */
function withVersion(name: string): string {
  const [, kept] = /^\^(0\.\d+|\d+)/.exec(readManifest().peerDependencies[name] ?? '') ?? []
  return `${name}@${kept}`
}

function canResolve(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}
