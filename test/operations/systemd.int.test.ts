import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findProgram } from '../../src/sandbox/services/services.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { deployFile } from '../support/deploy-files.ts'

const ANALYZE = findProgram('systemd-analyze', process.env.PATH ?? '')

/** The highest exposure that is still good, in tenths: systemd's scale goes to 100, a unit without hardening has about 96. */
const THRESHOLD = 20

/** A unit of docs/deploy whose program is one that is on this machine. */
function unit(name: string): string {
  const dir = newFolder()
  onTestFinished(() => removeFolder(dir))
  const path = join(dir, name)
  writeFileSync(path, deployFile(name).replace('ExecStart=/usr/bin/rfqctl', `ExecStart=${process.execPath}`))
  return path
}

const HINT = ANALYZE === null ? ' (skipped: needs systemd-analyze)' : ''

describe.skipIf(ANALYZE === null)(`units of systemd${HINT}`, () => {
  it.each(['rfqctl.service', 'rfqctl-signer.service', 'rfqctl-signer@.service'])(
    '%s is one that systemd takes without a warning',
    (name) => {
      const { status, stderr } = spawnSync(ANALYZE as string, ['verify', unit(name)], { encoding: 'utf8' })
      expect({ status, about: stderr.split('\n').filter((line) => line.includes(name)) }).toEqual({
        status: 0,
        about: [],
      })
    },
  )

  it.each(['rfqctl.service', 'rfqctl-signer.service', 'rfqctl-signer@.service'])(
    '%s may do little beside its work',
    (name) => {
      const args = ['security', '--offline=true', `--threshold=${THRESHOLD}`, '--no-pager', unit(name)]
      expect(execFileSync(ANALYZE as string, args, { encoding: 'utf8' })).toContain('OK')
    },
  )
})
