import { parseSync, Visitor } from 'rolldown/utils'

/** Makes `SCHEMA` of `described(SCHEMA, …)`: only the documents of the API need descriptions, and they are a sixth of a client. */
export const withoutDescriptions = {
  name: 'without-descriptions',
  enforce: /** @type {const} */ ('pre'),
  transform(/** @type {string} */ code, /** @type {string} */ id) {
    if (!/\.ts$/.test(id) || !code.includes('described(')) return null
    let from = 0
    /** @type {string[]} */
    const kept = []
    /** @type {[start: number, end: number][]} */
    const cuts = []
    new Visitor({
      CallExpression({ callee, arguments: [schema], start, end }) {
        if (callee.type !== 'Identifier' || callee.name !== 'described' || schema === undefined) return
        cuts.push([start, schema.start], [schema.end, end])
      },
    }).visit(parseSync(id, code).program)
    for (const [start, end] of cuts.sort(([a], [b]) => a - b)) {
      kept.push(code.slice(from, start))
      from = end
    }
    return kept.join('') + code.slice(from)
  },
}
