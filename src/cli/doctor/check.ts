import { EXIT } from '@rfqctl/lib/exit'
import { isRunning } from '@rfqctl/lib/process'
import { readSandbox, type Sandbox } from '@rfqctl/relay/app/sandbox-file'
import type { Cli } from '../cli.ts'
import { type ChainOptions, dataDirOf, type RelayOptions } from '../context/targets.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import type { Colors } from '../terminal/colors.ts'

/**
 * What a check found. A warning is worth knowing, a fault stands in the way; each of them has one thing to do about it. What
 * was not looked at is neither good nor bad, and never counts as good.
 * `exitCode` is what the doctor ends with because of it, 0 unless it is a fault.
 */
export type Finding = { check: string; found: string } & (
  | { state: 'good'; fix: null; exitCode: 0 }
  | { state: 'unseen'; fix: string | null; exitCode: 0 }
  | { state: 'warning'; fix: string; exitCode: 0 }
  | { state: 'fault'; fix: string; exitCode: number }
)

/** A finding that is as it should be. */
export const good = (check: string, found: string): Finding => ({ check, found, state: 'good', fix: null, exitCode: 0 })

/** What could not be looked at, and by what it could. */
export const unseen = (check: string, what: string, fix: string | null = null): Finding => ({
  check,
  found: `not looked at: ${what}`,
  state: 'unseen',
  fix,
  exitCode: 0,
})

/** A finding to know about. */
export const warning = (check: string, found: string, fix: string): Finding => ({
  check,
  found,
  state: 'warning',
  fix,
  exitCode: 0,
})

/** A finding that stands in the way. */
export const fault = (check: string, found: string, fix: string, exitCode: number = EXIT.unexpected): Finding => ({
  check,
  found,
  state: 'fault',
  fix,
  exitCode,
})

/** Runs one check; one that fails is itself a fault, in the words of all failures. An interruption is none. */
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

/** Options of the doctor. */
export type DoctorOptions = RelayOptions & ChainOptions & { production?: boolean }

/** What is looked at. `sandbox` is that of a relay which runs now; null where none does. */
export type DoctorContext = { cli: Cli; options: DoctorOptions; dataDir: string; sandbox: Sandbox | null }

/** Something that is looked at, and its name where looking fails. */
export type Check = readonly [
  name: string,
  check: (context: DoctorContext) => Promise<readonly Finding[]> | readonly Finding[],
]

/** What this command line works with here. A sandbox that cannot be read is none: its own check says why. */
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

/** A finding as people read it; names of checks are as wide as `width`. */
export function findingLines({ check, found, state, fix }: Finding, colors: Colors, width = 9): string[] {
  const signs = { good: colors.green('✔'), warning: colors.yellow('!'), fault: colors.red('✘'), unseen: '-' }
  const line = `${signs[state]} ${check.padEnd(width)}  ${found}`
  return fix === null ? [line] : [line, `${' '.repeat(width + 4)}${colors.cyan('try:')} ${fix}`]
}
