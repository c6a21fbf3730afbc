import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EXIT } from '@rfqctl/lib/exit'
import { plural } from '@rfqctl/lib/format'
import { isOpenToOthers } from '@rfqctl/lib/private-file'
import { readManifest } from '@rfqctl/lib/version'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { checkStore } from '@rfqctl/relay/adapters/store/admin/check'
import { disk } from '@rfqctl/relay/adapters/store/file/disk'
import { lockHolder } from '@rfqctl/relay/adapters/store/file/lock'
import { readSandbox } from '@rfqctl/relay/app/sandbox-file'
import { isProduction } from '@rfqctl/relay/config/environment'
import { settingValues } from '../context/targets.ts'
import { loadServeSettings } from '../serve/options.ts'
import { listKept } from '../wallet/keystores.ts'
import { type DoctorContext, type Finding, fault, good, unseen, warning } from './check.ts'

export function checkNode(_: DoctorContext, version = process.versions.node): Finding[] {
  const floor = readManifest().engines.node.replace('>=', '')
  return isAtLeast(version, floor)
    ? [good('node', `${version}, ${floor} or later is needed`)]
    : [fault('node', `${version} is older than ${floor}`, `install Node ${floor} or later`)]
}

/** Checks the settings like `serve` does. */
export function checkSettings({ cli, options: { dataDir } }: DoctorContext): Finding[] {
  const { faults, warnings } = loadServeSettings(cli, dataDir === undefined ? {} : { dataDir })
  const fix = 'rfqctl config view --origin'
  const findings = [
    ...faults.map((found) => fault('settings', found, fix, EXIT.usage)),
    ...warnings.map((found) => warning('settings', found, fix)),
  ]
  return findings.length > 0 ? findings : [good('settings', 'all settings are valid')]
}

function isAtLeast(version: string, floor: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = floor.split('.').map(Number)
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}

/** The directory may not exist yet: then it must be possible to create it. */
export function checkDataDir({ dataDir }: DoctorContext): Finding[] {
  const stats = statSync(dataDir, { throwIfNoEntry: false })
  const choose = 'choose another --data-dir'
  if (stats === undefined) {
    const parent = nearestThere(dataDir)
    if (!isWritable(parent))
      return [fault('data', `${dataDir} cannot be created: you cannot write to ${parent}`, choose)]
    return [good('data', `${dataDir} does not exist yet; serve creates it`)]
  }
  if (!stats.isDirectory()) return [fault('data', `${dataDir} is not a directory`, choose)]
  if (!isWritable(dataDir)) return [fault('data', `you cannot write to ${dataDir}`, choose)]
  return [good('data', dataDir)]
}

/** Kept files hold keys and tokens, so only the owner may read them (fault K2). */
export function checkPermissions({ dataDir }: DoctorContext): Finding[] {
  if (!isDirectory(dataDir)) return []
  const paths = [dataDir, ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map((p) => join(dataDir, p))]
  const open = paths.filter((path) => isOpenToOthers(statSync(path, { throwIfNoEntry: false })?.mode ?? 0))
  const [first] = open
  if (first === undefined) return [good('privacy', `only you can read the files there`)]
  const found = `others may access ${first}${open.length === 1 ? '' : ` and ${open.length - 1} more`}`
  return [fault('privacy', found, `chmod -R go= ${dataDir}`, EXIT.unauthorized)]
}

/** Checks that the store is intact, and reports who uses it. */
export async function checkStoreFiles({ cli, dataDir, sandbox }: DoctorContext): Promise<Finding[]> {
  if (settingValues(cli).DATABASE_URL !== null)
    return [unseen('store', 'it is in Postgres, which the relay says it reaches when it is ready')]
  if (existsSync(dataDir) && !isDirectory(dataDir)) return []
  const found = await checkStore({ disk, dir: dataDir })
  const whole = found === null ? 'no store yet' : `intact, ${found.documentBytes} bytes and a journal`
  if (found !== null && found.moved !== null) {
    const { to, at } = found.moved
    return [
      warning('store', `moved to ${to} at ${utcText(at)}`, 'serve with --database-url, or choose another --data-dir'),
    ]
  }
  const holder = await lockHolder(join(dataDir, 'store.lock'))
  if (holder === null) return [good('store', whole)]
  const since = `pid ${holder.pid}${holder.host === '' ? '' : ` on ${holder.host}`} since ${utcText(holder.since)}`
  if (!holder.isAlive) {
    return [good('store', `${whole}; the lock of ${since} is stale, and the next serve takes it over`)]
  }
  return sandbox?.pid === holder.pid
    ? [good('store', `${whole}, in use by the relay of this directory`)]
    : [
        warning(
          'store',
          `in use by ${since}, which has no sandbox here`,
          'stop that process, or use another --data-dir',
        ),
      ]
}

/** Checks the files that `serve` leaves for other commands. */
export function checkSandbox({ cli, dataDir, sandbox }: DoctorContext): Finding[] {
  const left = readSandbox(dataDir)
  if (isProduction(cli.environment) && sandbox === null) return [good('sandbox', 'none: NODE_ENV is production')]
  if (left === null) return [warning('sandbox', 'no sandbox here', 'rfqctl up')]
  if (sandbox === null) return [warning('sandbox', `its relay, pid ${left.pid}, has ended`, 'rfqctl serve')]
  if (left.makers.length + left.takers.length === 0)
    return [good('sandbox', 'none: the relay of this directory has no wallets with known keys')]
  return [good('sandbox', `${plural(left.makers.length, 'maker')}, ${plural(left.takers.length, 'taker')}`)]
}

/** Each kept wallet has to be a keystore. */
export function checkWallets({ dataDir }: DoctorContext): Finding[] {
  const kept = listKept(dataDir)
  const names = kept.length === 0 ? '' : `: ${kept.map(({ name }) => name).join(', ')}`
  return [good('wallets', `${plural(kept.length, 'wallet')} of your own${names}`)]
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return isDirectory(path)
  } catch {
    return false
  }
}

const nearestThere = (path: string): string => (existsSync(path) ? path : nearestThere(dirname(path)))
