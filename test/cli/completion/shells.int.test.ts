import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildWhenStale, ROOT } from '../../kit/build.ts'
import { temporaryDirOfFile } from '../support.ts'

const dir = temporaryDirOfFile()
const bin = join(dir, 'bin')

beforeAll(async () => {
  await buildWhenStale()
  const shownAt = Date.now()
  mkdirSync(join(dir, '.rfqctl', 'shown'), { recursive: true })
  const rows = {
    1: { id: '0x01', name: 'norvik-c45-mon', shownAt },
    2: { id: '0x02', name: 'harbour-p30-mon', shownAt },
  }
  writeFileSync(join(dir, '.rfqctl', 'shown', 'series.json'), JSON.stringify({ shownAt, rows }))
  mkdirSync(bin)
  symlinkSync(join(ROOT, 'bin', 'rfqctl.js'), join(bin, 'rfqctl'))
})

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0

/** Runs a script of a shell that finds `rfqctl` on its path; what it prints, line by line. */
function runScript(shell: string, script: string): string[] {
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: dir }
  const { stdout, stderr, status } = spawnSync(shell, ['-c', script], { cwd: dir, env, encoding: 'utf8' })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  return stdout.split('\n').filter((line) => line !== '')
}

/** Does what bash does at a Tab: calls the function that was given for the command, and looks at `COMPREPLY`. */
const tabInBash = (line: string): string[] =>
  runScript(
    'bash',
    `source <(rfqctl completion bash)
     COMP_LINE='${line}more' COMP_POINT=${line.length}
     complete -p rfqctl | grep -q -- '-o default -F _rfqctl' && _rfqctl rfqctl && printf '%s\\n' "\${COMPREPLY[@]}"`,
  )

describe.skipIf(!has('bash'))('bash', () => {
  test('completes at the cursor by the text before it', () => {
    expect(tabInBash('rfqctl settle re')).toEqual(['review'])
    expect(tabInBash('rfqctl settle review resolve @1 --p')).toEqual(['--price'])
  })

  test('completes rows and names of the series last shown', () => {
    expect(tabInBash('rfqctl taker buy @')).toEqual(['@1', '@2'])
    expect(tabInBash('rfqctl taker buy nor')).toEqual(['norvik-c45-mon'])
  })

  test('is left to complete files where there is nothing to offer', () => {
    expect(tabInBash('rfqctl wallet import desk --key-file ')).toEqual([])
  })
})

describe.skipIf(!has('fish'))('fish', () => {
  test('completes with descriptions, and files where a flag takes one', () => {
    const script = (line: string) => `rfqctl completion fish | source; complete -C "${line}"`
    expect(runScript('fish', script('rfqctl settle re'))).toEqual([expect.stringMatching(/^review\tResolve series/)])
    expect(runScript('fish', script('rfqctl taker buy @2'))).toEqual(['@2\tharbour-p30-mon'])
    expect(runScript('fish', script('rfqctl wallet import desk --key-file b'))).toEqual(['bin/'])
  })
})

describe.skipIf(!has('zsh'))('zsh', () => {
  test('takes the script', () => {
    const script = 'autoload -Uz compinit; compinit -u -d zcompdump; source <(rfqctl completion zsh)'
    expect(runScript('zsh', `${script}; print $_comps[rfqctl]`)).toEqual(['_rfqctl'])
  })
})
