import { CliError } from '@rfqctl/lib/cli-error'
import { plural } from '@rfqctl/lib/format'
import type { Run } from '../../cli.ts'
import type { Colors } from '../../terminal/colors.ts'
import { type Check, type DoctorOptions, type Finding, findingLines, openContext, runCheck } from '../check.ts'
import { checkDataDir, checkNode, checkPermissions, checkStoreFiles } from '../local.ts'
import { checkBackups, checkStandbys } from './backups.ts'
import { checkProductionChain, checkProductionHead } from './chain.ts'
import { checkProductionRelay, checkTls } from './relay.ts'
import { checkProductionSettings } from './settings.ts'

/** Ordered by dependency. */
const CHECKS: readonly Check[] = [
  ['node', checkNode],
  ['settings', checkProductionSettings],
  ['data', checkDataDir],
  ['privacy', checkPermissions],
  ['store', checkStoreFiles],
  ['backups', checkBackups],
  ['standbys', checkStandbys],
  ['chain', checkProductionChain],
  ['head', checkProductionHead],
  ['tls', checkTls],
  ['relay', checkProductionRelay],
]

/** Columns; contract names are checks, too. */
const WIDTH = 20

/** Refuses to go live with a numbered list of faults, each with its fix. Changes nothing. */
export const refuseGoLive: Run<DoctorOptions> = async (cli, options) => {
  const context = openContext(cli, options)
  const all = await Promise.all(CHECKS.map(([name, check]) => runCheck(name, cli.stop, () => check(context))))
  const findings = all.flat()
  const faults = findings.filter(({ state }) => state === 'fault')
  cli.out.print({ type: 'doctor', production: true, ok: faults.length === 0, findings }, [
    ...findings
      .filter(({ state }) => state !== 'fault')
      .flatMap((finding) => findingLines(finding, cli.out.colors, WIDTH)),
    ...verdictLines(faults, findings.filter(({ state }) => state === 'unseen').length, cli.out.colors),
  ])
  const [first] = faults
  if (first === undefined) return
  throw new CliError(`${faults.length} in the way of going live, the first: ${first.found}`, {
    code: 'not_live_ready',
    exitCode: first.exitCode,
    hint: first.fix,
  })
}

function verdictLines(faults: readonly Finding[], unseen: number, colors: Colors): string[] {
  if (faults.length === 0) {
    const rest = unseen === 0 ? '' : `; ${plural(unseen, 'thing')} could not be looked at`
    return ['', `Nothing that was looked at is in the way of going live${rest}.`]
  }
  const lines = faults.flatMap(({ check, found, fix }, index) => [
    `${`${index + 1}.`.padStart(3)} ${colors.red(check)}: ${found}`,
    ...(fix === null ? [] : [`    ${colors.cyan('try:')} ${fix}`]),
  ])
  return ['', 'In the way of going live:', ...lines]
}
