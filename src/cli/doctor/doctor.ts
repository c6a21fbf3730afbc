import { CliError } from '@rfqctl/lib/cli-error'
import { plural } from '@rfqctl/lib/format'
import type { Run } from '../cli.ts'
import { checkApprovals } from './approvals.ts'
import { checkChain } from './chain.ts'
import { type Check, type DoctorOptions, findingLines, openContext, runCheck } from './check.ts'
import {
  checkDataDir,
  checkNode,
  checkPermissions,
  checkSandbox,
  checkSettings,
  checkStoreFiles,
  checkWallets,
} from './local.ts'
import { refuseGoLive } from './production/production.ts'
import { checkApiKey, checkLogin, checkPort, checkRelay } from './relay.ts'

/** Ordered by dependency: the first fault is the one to fix first. */
const CHECKS: readonly Check[] = [
  ['node', checkNode],
  ['settings', checkSettings],
  ['data', checkDataDir],
  ['privacy', checkPermissions],
  ['store', checkStoreFiles],
  ['sandbox', checkSandbox],
  ['port', checkPort],
  ['relay', checkRelay],
  ['chain', checkChain],
  ['wallets', checkWallets],
  ['approvals', checkApprovals],
  ['maker key', checkApiKey],
  ['login', checkLogin],
]

/** Changes nothing; each fault has one fix. */
export const run: Run<DoctorOptions> = async (cli, options) => {
  if (options.production === true) return refuseGoLive(cli, options)
  const context = openContext(cli, options)
  const all = await Promise.all(CHECKS.map(([name, check]) => runCheck(name, cli.stop, () => check(context))))
  const findings = all.flat()
  const faults = findings.filter(({ state }) => state === 'fault')
  cli.out.print(
    { type: 'doctor', ok: faults.length === 0, findings },
    findings.flatMap((finding) => findingLines(finding, cli.out.colors)),
  )
  const [worst] = faults
  if (worst === undefined) return
  throw new CliError(`${plural(faults.length, 'fault')}, the most serious: ${worst.found}`, {
    code: 'unhealthy',
    exitCode: worst.exitCode,
    hint: worst.fix,
  })
}
