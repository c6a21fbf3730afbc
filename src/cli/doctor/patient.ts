import { readSandbox, type Sandbox } from '../../app/sandbox-file.ts'
import { isRunning } from '../../lib/process.ts'
import type { Cli } from '../cli.ts'
import { dataDirOf } from '../context/data-dir.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'

/** Options of the doctor. */
export type DoctorOptions = RelayOptions & ChainOptions

/** What is looked at. `sandbox` is that of a relay which runs now; null where none does. */
export type Patient = { cli: Cli; options: DoctorOptions; dataDir: string; sandbox: Sandbox | null }

/** What this command line works with here. A sandbox that cannot be read is none: its own check says why. */
export function patientOf(cli: Cli, options: DoctorOptions): Patient {
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
