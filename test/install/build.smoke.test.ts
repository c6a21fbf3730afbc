import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { newFolder, removeFolder } from '../kit/folder.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A clone with the real scripts, and a compiler that counts its calls and fails when a source says so. */
const COMPILER = `
const { appendFileSync, mkdirSync, readFileSync } = require('node:fs')
appendFileSync('compiled', '.')
mkdirSync(process.argv[process.argv.indexOf('--outDir') + 1], { recursive: true })
if (readFileSync('src/main.ts', 'utf8').includes('fault')) { console.log('src/main.ts: a fault'); process.exit(2) }
setTimeout(() => {}, 100)`
const BUNDLER = `
import { cpSync } from 'node:fs'
export const bundle = async (dist) => cpSync('src/main.ts', dist + '/bundle/main.js')`

/** What of the real sources the build reads, and the manifest of the client is made from. */
const REAL = [
  ...['bin/rfqctl.js', 'scripts/build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE'],
  ...['src/client/package.json', 'src/client/PACKAGE.md', 'src/protocol/package.json'],
]

let clone: string

beforeEach(() => {
  clone = newFolder()
  onTestFinished(() => removeFolder(clone))
  for (const name of REAL) cpSync(join(ROOT, name), join(clone, name))
  put('tsconfig.build.json', '{}')
  put('scripts/bundle.mjs', BUNDLER)
  put('scripts/web.mjs', 'export const buildWeb = async () => {}')
  put('node_modules/typescript/bin/tsc', COMPILER)
  put('node_modules/typescript/package.json', '{"type":"commonjs"}')
  for (const name of ['@types/node', 'rolldown', 'vite', 'react-dom']) put(`node_modules/${name}/package.json`, '{}')
  put('src/main.ts', `console.log('one')`)
})

function put(name: string, text: string): void {
  mkdirSync(dirname(join(clone, name)), { recursive: true })
  writeFileSync(join(clone, name), text)
}

type Ended = { code: number; stdout: string; stderr: string }

function run(args: readonly string[]): Promise<Ended> {
  const env = { PATH: process.env.PATH }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: clone, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

const build = () => run(['scripts/build.mjs'])
const call = () => run(['bin/rfqctl.js'])
const timesCompiled = () => (existsSync(join(clone, 'compiled')) ? readFileSync(join(clone, 'compiled')).length : 0)

describe('the build', () => {
  it('is made once for sources that stay what they are, whenever their files were written', async () => {
    await build()
    put('src/main.ts', `console.log('one')`)
    await build()
    expect(timesCompiled()).toBe(1)
  })

  it('is made again when a source changed', async () => {
    await build()
    put('src/main.ts', `console.log('two')`)
    await build()
    expect(await call()).toMatchObject({ code: 0, stdout: 'two\n' })
  })

  it('is made once for several who need it at the same time', async () => {
    const ended = await Promise.all([build(), call(), call(), build()])
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect(ended.map(({ stdout }) => stdout)).toEqual(['', 'one\n', 'one\n', ''])
    expect(timesCompiled()).toBe(1)
  })

  it('leaves the one that is there alone when it fails, and says why', async () => {
    await build()
    put('src/main.ts', 'a fault')
    const { code, stderr } = await build()
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('src/main.ts: a fault') })
    expect((await call()).stdout).toBe('one\n')
  })

  it('continues after a build that was killed', async () => {
    const { pid } = await new Promise<{ pid: number }>((resolve) => {
      const child = execFile(process.execPath, ['-e', ''], () => resolve({ pid: child.pid ?? 0 }))
    })
    put('.building/pid', String(pid))
    put('.building/dist/bundle/main.js', 'half of')
    expect((await build()).code).toBe(0)
    expect((await call()).stdout).toBe('one\n')
  })
})

describe('a call', () => {
  it('in a clone that was installed without scripts builds first and says so', async () => {
    const { code, stdout, stderr } = await call()
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'one\n' })
    expect(stderr).toMatch(/^rfqctl is not built yet: building it once.*\n {2}compiling\n {2}bundling\n {2}built in/)
  })

  it('in a built clone is silent about it, and never builds, whatever changed', async () => {
    await build()
    put('src/main.ts', `console.log('two')`)
    expect(await call()).toEqual({ code: 0, stdout: 'one\n', stderr: '' })
  })

  it('in a clone without its packages says what to do', async () => {
    rmSync(join(clone, 'node_modules'), { recursive: true })
    expect(await call()).toMatchObject({ code: 1, stderr: expect.stringContaining('try: npm ci') })
  })

  it('with a Node that is too old says which one it needs', async () => {
    const older = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'18.20.8'}})`
    expect(await run(['--import', older, 'bin/rfqctl.js'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: rfqctl needs Node 20.19 or later; this is v18.20.8\n  try: https://nodejs.org\n',
    })
  })
})

it('no script of the package runs where it is linked or installed: npx links a clone into its cache, with npm 10 at every call', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const hooks = ['preinstall', 'install', 'postinstall', 'prepare']
  expect(hooks.filter((name) => name in scripts)).toEqual([])
})

it('the check of the version of Node runs on a Node of 2019', () => {
  const text = readFileSync(join(ROOT, 'bin/rfqctl.js'), 'utf8').replaceAll(/\/\/.*/g, '')
  expect(text).not.toMatch(/\?\.|\?\?|&&=|\|\|=|^await |'node:|#\w+|\bstatic\b|\d_\d/m)
})
