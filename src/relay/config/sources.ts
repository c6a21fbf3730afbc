import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFINITIONS, SETTING_NAMES, type SettingName, type Values } from './definitions.ts'
import type { Parsed } from './parsers.ts'

/** Strongest first. */
export type Origin = 'flag' | 'environment' | 'file' | 'default'

export type SettingFlags = Partial<Record<SettingName, string>>

export type Environment = Readonly<Record<string, string | undefined>>

/** The file is in the working directory, because the data directory is itself a setting. */
export const CONFIG_FILE = 'rfqctl.config.json'

/** `faults` name the settings that could not be read; their values are the fallbacks. */
export type Collected = {
  values: Values
  origins: Readonly<Record<SettingName, Origin>>
  faults: readonly string[]
}

/** Precedence is flag, environment, file, default. */
export function collectSettings(parts: { flags: SettingFlags; environment: Environment; cwd: string }): Collected {
  const { flags, environment, cwd } = parts
  const file = readConfigFile(join(cwd, CONFIG_FILE))
  const faults = [...file.faults]
  const values: Record<string, unknown> = {}
  const origins: Record<string, Origin> = {}
  for (const name of SETTING_NAMES) {
    const { text, origin } = strongest(name, { flags, environment, file: file.texts })
    const parsed: Parsed<unknown> =
      text === undefined ? { value: DEFINITIONS[name].fallback } : DEFINITIONS[name].parse(text)
    if ('fault' in parsed) faults.push(`${name} (${describeOrigin(origin, name)}) ${parsed.fault}`)
    values[name] = 'value' in parsed ? parsed.value : DEFINITIONS[name].fallback
    origins[name] = origin
  }
  return { values: values as Values, origins: origins as Record<SettingName, Origin>, faults }
}

export function describeOrigin(origin: Origin, name: SettingName): string {
  if (origin === 'flag')
    return `flag --${name
      .toLowerCase()
      .replaceAll('_', '-')
      .replace(/^rpc-url$/, 'rpc')}`
  return origin === 'file' ? CONFIG_FILE : origin
}

function strongest(
  name: SettingName,
  sources: { flags: SettingFlags; environment: Environment; file: Readonly<Record<string, string>> },
): { text: string | undefined; origin: Origin } {
  const { flags, environment, file } = sources
  if (flags[name] !== undefined) return { text: flags[name], origin: 'flag' }
  // Shells and compose files pass an empty variable for "not set".
  if (environment[name]) return { text: environment[name], origin: 'environment' }
  if (file[name] !== undefined) return { text: file[name], origin: 'file' }
  return { text: undefined, origin: 'default' }
}

function readConfigFile(path: string): { texts: Record<string, string>; faults: string[] } {
  if (!existsSync(path)) return { texts: {}, faults: [] }
  const settings = readObject(path)
  if (settings === null) return { texts: {}, faults: [`${CONFIG_FILE} cannot be read as a JSON object of settings`] }
  const texts: Record<string, string> = {}
  const faults: string[] = []
  for (const [name, value] of Object.entries(settings)) {
    if (!Object.hasOwn(DEFINITIONS, name)) faults.push(`${CONFIG_FILE} contains ${name}, which is not a setting`)
    else if (value !== null) texts[name] = typeof value === 'string' ? value : JSON.stringify(value)
  }
  return { texts, faults }
}

/** Whole lines only: `//` within a line may be part of an address. A string of JSON never spans lines. */
const COMMENT_LINES = /^[ \t]*\/\/.*$/gm

function readObject(path: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8').replace(COMMENT_LINES, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
