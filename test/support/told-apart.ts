/** Something that someone was sent or answered: in which step of a story, by which way, and its text. */
export type Heard = { step: number; who: string; way: string; text: string }

/** What was heard in a story: who was held to be asked and in which step first, and in which step the commit had its order; null: it had none. */
export type Told = { heard: readonly Heard[]; askedIn: ReadonlyMap<string, number>; orderedIn: number | null }

/**
 * By what those who are neither taker nor held to be asked can tell two stories apart that differ only in the side of a commit; null: by
 * nothing. Someone who was asked in either counts until then, and all count until either commit has its order. Each hears on each way the
 * same texts in the same order: ids are numbered as they first come, in texts of one length. Where steps are times, which of two calls comes
 * first may differ: what comes within `leeway` of the end may be missing.
 */
export function toldApart(first: Told, other: Told, { leeway = 0 }: { leeway?: number } = {}): string | null {
  const last = Math.min(lastOf(first), lastOf(other))
  const isCut = leeway > 0 || lastOf(first) !== lastOf(other)
  const until = (who: string): number =>
    Math.min(first.askedIn.get(who) ?? Infinity, other.askedIn.get(who) ?? Infinity, isCut ? last : last + 1)
  const [ones, others] = [first, other].map(({ heard }) => {
    const before = heard.filter(({ step, who }) => step < until(who))
    return linesBy(leeway > 0 ? before.map((one) => ({ ...one, text: withoutSeconds(one.text) })) : before)
  })
  const ways = new Set([...(ones?.keys() ?? []), ...(others?.keys() ?? [])])
  for (const way of ways) {
    const [lines, otherLines] = [ones?.get(way) ?? [], others?.get(way) ?? []]
    for (let i = 0; i < Math.max(lines.length, otherLines.length); i += 1) {
      const [line, otherLine] = [lines[i], otherLines[i]]
      const isSame = line?.text === otherLine?.text && (leeway > 0 || line?.step === otherLine?.step)
      const only = line === undefined ? otherLine : otherLine === undefined ? line : undefined
      if (isSame || (only !== undefined && only.step >= until(only.who) - leeway)) continue
      return `${way} is told ${textOf(line)}, or ${textOf(otherLine)}`
    }
  }
  return null
}

const lastOf = ({ orderedIn }: Told): number => orderedIn ?? Infinity

const textOf = (line: Heard | undefined): string =>
  line === undefined ? 'nothing' : `in step ${line.step}: ${line.text}`

function linesBy(heard: readonly Heard[]): Map<string, Heard[]> {
  const byWay = new Map<string, Heard[]>()
  const numbers = new Map<string, Map<string, string>>()
  for (const one of heard) {
    const { who, way } = one
    const known = numbers.get(who) ?? new Map<string, string>()
    numbers.set(who, known)
    const key = `${who}, by ${way},`
    byWay.set(key, [...(byWay.get(key) ?? []), { ...one, text: numbered(one.text, known) }])
  }
  return byWay
}

/** A text without the second in which an order ends, which follows from that of its quote: two calls in a moment may differ by one. */
const withoutSeconds = (text: string): string =>
  text.replace(/(?<="validUntil":"?)\d+/g, (second) => '.'.repeat(second.length))

/** Ids and nonces are new in each story. */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<="nonce":"?)\d+/g

/** A text whose ids are numbers, in the order in which they first came, and are as long as before. */
export const numbered = (text: string, known: Map<string, string>): string =>
  text.replace(ID, (id) => {
    const name = known.get(id) ?? `id ${known.size + 1} `.padEnd(id.length, '.')
    known.set(id, name)
    return name
  })
