import { EXIT } from '@rfqctl/lib/exit'
import { isRunning } from '@rfqctl/lib/process'
import { readSandbox, type Sandbox } from '@rfqctl/relay/app/sandbox-file'
import type { Cli } from '../cli.ts'
import { type ChainOptions, dataDirOf, type RelayOptions } from '../context/targets.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import type { Colors } from '../terminal/colors.ts'

/**
 * A result of a check. Warnings and faults have one fix each; a fault blocks. A check that was not possible is neither
 * good nor bad, and never counts as good. `exitCode` is the doctor's exit code, 0 unless it is a fault.
 */
export type Finding = { check: string; found: string } & (
  | { state: 'good'; fix: null; exitCode: 0 }
  | { state: 'unseen'; fix: string | null; exitCode: 0 }
  | { state: 'warning'; fix: string; exitCode: 0 }
  | { state: 'fault'; fix: string; exitCode: number }
)

export const good = (check: string, found: string): Finding => ({ check, found, state: 'good', fix: null, exitCode: 0 })

/** A check that was not possible; `fix` makes it possible. */
export const unseen = (check: string, what: string, fix: string | null = null): Finding => ({
  check,
  found: `not looked at: ${what}`,
  state: 'unseen',
  fix,
  exitCode: 0,
})

export const warning = (check: string, found: string, fix: string): Finding => ({
  check,
  found,
  state: 'warning',
  fix,
  exitCode: 0,
})

export const fault = (check: string, found: string, fix: string, exitCode: number = EXIT.unexpected): Finding => ({
  check,
  found,
  state: 'fault',
  fix,
  exitCode,
})

/** A failing check is itself a fault, worded like every failure. Interruptions are passed on. */
export async function runCheck(
  check: string,
  stop: AbortSignal,
  work: () => Promise<readonly Finding[]> | readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    return await work()
  } catch (error) {
    if (stop.aborted) throw error
    const { message, hint, exitCode } = describeFailure(error)
    return [fault(check, message, hint ?? 'rfqctl config view --origin', exitCode)]
  }
}

/** `account`: a further wallet to look at, by its name or address. */
export type DoctorOptions = RelayOptions & ChainOptions & { production?: boolean; account?: string }

/** `sandbox` is null unless its relay runs now. */
export type DoctorContext = { cli: Cli; options: DoctorOptions; dataDir: string; sandbox: Sandbox | null }

/** A name, for when the check itself fails, and the check. */
export type Check = readonly [
  name: string,
  check: (context: DoctorContext) => Promise<readonly Finding[]> | readonly Finding[],
]

/** A sandbox that cannot be read counts as absent: its own check says why. */
export function openContext(cli: Cli, options: DoctorOptions): DoctorContext {
  const dataDir = dataDirOf(cli, options)
  return { cli, options, dataDir, sandbox: runningSandbox(dataDir) }
}

function runningSandbox(dataDir: string): Sandbox | null {
  try {
    const sandbox = readSandbox(dataDir)
    return sandbox !== null && isRunning(sandbox.pid) ? sandbox : null
  } catch {
    return null
  }
}

/** Names of checks are padded to `width`. */
export function findingLines({ check, found, state, fix }: Finding, colors: Colors, width = 9): string[] {
  const signs = { good: colors.green('✔'), warning: colors.yellow('!'), fault: colors.red('✘'), unseen: '-' }
  const line = `${signs[state]} ${check.padEnd(width)}  ${found}`
  return fix === null ? [line] : [line, `${' '.repeat(width + 4)}${colors.cyan('try:')} ${fix}`]
}
