import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../kit/build.ts'

export const deployFile = (path: string): string => readFileSync(join(ROOT, 'docs', 'deploy', path), 'utf8')

export const instructions = (): { name: string; text: string }[] =>
  deployFile('Dockerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', text = ''] = /^(\S+) (.*)$/.exec(line) ?? []
      return { name, text }
    })

/** What the last stage sets: the variables of ENV, or the words of a command. */
export function dockerfile(name: 'ENV'): Record<string, string>
export function dockerfile(name: 'ENTRYPOINT' | 'CMD' | 'HEALTHCHECK'): string[]
export function dockerfile(name: string): Record<string, string> | string[] {
  const { text } = instructions().findLast((found) => found.name === name) as { text: string }
  if (name === 'ENV') return Object.fromEntries(text.split(' ').map((pair) => pair.split('=')))
  return JSON.parse(text.slice(text.indexOf('[')))
}

/** The paths that the build in a container sees of the sources. */
export const seenByDocker = (): string[] =>
  deployFile('Dockerfile.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
