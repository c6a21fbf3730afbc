import { CliError } from '@rfqctl/lib/cli-error'

/** Items that a unique prefix of their id selects; `list` is the command that shows them. */
export type Choice<Item> = { noun: string; items: readonly Item[]; idOf: (item: Item) => string; list: string }

/** Refuses with `ambiguous` or `not_found`, naming the command that lists the items. */
export function findByPrefix<Item>(text: string, { noun, items, idOf, list }: Choice<Item>): Item {
  const found = items.filter((item) => idOf(item).startsWith(text))
  const exact = found.find((item) => idOf(item) === text)
  const only = exact ?? (found.length === 1 ? found[0] : undefined)
  if (only !== undefined) return only
  if (found.length > 1) {
    throw new CliError(`${text} is the start of ${found.length} ids of ${noun}`, {
      code: 'ambiguous',
      why: found.slice(0, 5).map(idOf),
      hint: 'type more of the id',
    })
  }
  throw new CliError(`no ${noun} is ${text}`, {
    code: 'not_found',
    why: [`there are ${items.length} to choose from`],
    hint: list,
  })
}
