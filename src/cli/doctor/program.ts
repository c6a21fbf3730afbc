import { readFileSync } from 'node:fs'
import { EXIT } from '../../lib/exit.ts'
import { loadServeSettings } from '../serve/options.ts'
import { type Finding, fault, good, warning } from './finding.ts'
import type { Patient } from './patient.ts'

/** Whether this Node is new enough. */
export function checkNode(_: Patient, version = process.versions.node): Finding[] {
  const floor = nodeFloor()
  return isAtLeast(version, floor)
    ? [good('node', `${version}, ${floor} or later is needed`)]
    : [fault('node', `${version} is older than ${floor}`, `install Node ${floor} or later`)]
}

/** Whether `serve` would take the settings that are in force here. */
export function checkSettings({ cli, options: { dataDir } }: Patient): Finding[] {
  const { faults, warnings } = loadServeSettings(cli, dataDir === undefined ? {} : { dataDir })
  const fix = 'rfqctl config view --origin'
  const findings = [
    ...faults.map((found) => fault('settings', found, fix, EXIT.usage)),
    ...warnings.map((found) => warning('settings', found, fix)),
  ]
  return findings.length > 0 ? findings : [good('settings', 'all settings are valid')]
}

const nodeFloor = (): string => {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { engines: { node: string } }).engines.node.replace('>=', '')
}

function isAtLeast(version: string, floor: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = floor.split('.').map(Number)
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}
