import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../../src/sandbox/services/services.ts'
import { spawnProgram } from '../kit/child.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { keep } from '../kit/keep.ts'
import { findFreePort } from './free-port.ts'

/** A value with its labels, as Prometheus answers it. */
export type Sample = { metric: Record<string, string>; value: [number, string] }

/** A Prometheus of a test's own, set up as docs/deploy has it. */
export type OwnPrometheus = {
  query: (expression: string) => Promise<Sample[]>
  /** The answer to a path of its API. */
  ask: <Data>(path: string) => Promise<Data>
  stop: () => Promise<void>
}

const PATH = process.env.PATH ?? ''
const PROMETHEUS = findProgram('prometheus', PATH)
const PROMTOOL = findProgram('promtool', PATH)

/** Whether it is installed, with the tool that checks its rules. */
export const HAS_PROMETHEUS: boolean = PROMETHEUS !== null && PROMTOOL !== null

const DEPLOY = new URL('../../docs/deploy/', import.meta.url)

/** Runs promtool in a folder with the rules of docs/deploy and whatever else is named; returns what it prints, or throws with it. */
export function promtool(args: readonly string[], files: readonly URL[] = []): string {
  const dir = newFolder()
  try {
    for (const file of [new URL('alerts.yml', DEPLOY), new URL('prometheus.yml', DEPLOY), ...files]) {
      copyFileSync(file, join(dir, file.pathname.split('/').at(-1) as string))
    }
    return execFileSync(PROMTOOL as string, args, { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } finally {
    removeFolder(dir)
  }
}

/** Prometheus with docs/deploy/prometheus.yml and its rules; only the relays and the pace are a test's own. */
export async function createOwnPrometheus(relays: readonly string[]): Promise<OwnPrometheus> {
  const dir = newFolder()
  const targets = relays.map((url) => `'${new URL(url).host}'`).join(', ')
  const settings = readFileSync(new URL('prometheus.yml', DEPLOY), 'utf8')
  const own = settings.replaceAll(/15s$/gm, '2s').replace("'relay:8787'", targets)
  if (own === settings) throw new Error('the file does not name the relay that it is about')
  writeFileSync(join(dir, 'prometheus.yml'), own)
  copyFileSync(new URL('alerts.yml', DEPLOY), join(dir, 'alerts.yml'))
  const port = await findFreePort()
  const place = [`--storage.tsdb.path=${dir}/data`, `--web.listen-address=127.0.0.1:${port}`]
  const program = [PROMETHEUS as string, `--config.file=${dir}/prometheus.yml`, ...place]
  const { says, signal, exited } = spawnProgram(program, { cwd: dir, env: process.env })
  keep(() => signal('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await says('Server is ready to receive web requests')

  async function ask<Data>(path: string): Promise<Data> {
    const answer = (await (await fetch(`${url}${path}`)).json()) as { status: string; data: Data; error?: string }
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error}`)
    return answer.data
  }

  return {
    ask,
    query: async (expression) =>
      (await ask<{ result: Sample[] }>(`/api/v1/query?query=${encodeURIComponent(expression)}`)).result,
    stop: async () => {
      signal('SIGTERM')
      await exited
      removeFolder(dir)
    },
  }
}
