import type { Command } from 'commander'
import { type Attach, chainOptions, relayOptions } from '../declare/command.ts'

export function addDoctorCommand(program: Command, attach: Attach): void {
  const doctor = chainOptions(
    relayOptions(
      program.command('doctor').description('Check everything that commands need, and suggest how to fix faults'),
    ),
  )
  doctor.option('--account <wallet>', 'a further wallet, by its name or address, whose old approvals are looked for')
  doctor.option('--production', 'refuse to go live while anything is in the way, and list it')
  attach(doctor, () => import('./doctor.ts'), 'run', ['rfqctl doctor'])
}
