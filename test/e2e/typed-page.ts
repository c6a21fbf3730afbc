import { expect } from 'vitest'
import { wordsOf } from '../cli/help-texts.ts'
import { type Ran, run } from '../cli/support.ts'

/** What a page says in a shell block to type, and what it says is seen then. */
export type TypedStep = { lines: string[]; seen: string[] }

/** The shell blocks of a text, each with the block of text behind it, if there is one. Lines that go on are one. */
export const typedSteps = (text: string): TypedStep[] =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```\n+(?:```text\n([\s\S]*?)^```)?/gm)].map(([, sh = '', shown = '']) => ({
    lines: sh
      .replace(/ *\\\n */g, ' ')
      .trim()
      .split('\n'),
    seen: shown.trim().split('\n').filter(Boolean),
  }))

/** A terminal in a directory: its variables, and a person who answers every question with yes. */
export function openTerminal(cwd: string, environment: Record<string, string>) {
  const filled = (text: string) => text.replace(/\$(\w+)/g, (_, name: string) => environment[name] ?? '')
  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return 'yes'
  }
  const rfqctl = (line: string): Promise<Ran> => run(wordsOf(filled(line)), { cwd, environment, ask })
  return {
    /** Every question, in its order. */
    asked,
    rfqctl,
    /** Types a line without its comment: a command, or an `export` of some variables. */
    type: async (typed: string): Promise<Ran> => {
      const line = typed.replace(/\s+#.*$/, '')
      if (!line.startsWith('export ')) return rfqctl(line.replace(/^rfqctl /, ''))
      for (const [, name = '', quoted, plain = ''] of line.matchAll(/(\w+)=(?:["']([^"']*)["']|(\S+))/g)) {
        environment[name] = filled(quoted ?? plain)
      }
      return { code: 0, stdout: '', stderr: '' }
    },
  }
}

/** Types the steps of a page, whose lines may begin with `npx`: each command succeeds, and each step shows what the page says. */
export async function walk(steps: readonly TypedStep[], type: (line: string) => Promise<Ran>): Promise<void> {
  for (const { lines, seen } of steps) {
    let shown = ''
    for (const line of lines) {
      const { code, stdout, stderr } = await type(line.replace(/^npx /, ''))
      expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' })
      shown += stdout + stderr
    }
    for (const line of seen) expect(shown).toMatch(shownAs(line))
  }
}

/** A line of a page as a pattern: `…` is whatever stands there. */
export const shownAs = (line: string): RegExp => {
  const escaped = (part: string) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ +/g, ' +')
  return new RegExp(line.split('…').map(escaped).join('.*'), 'm')
}
