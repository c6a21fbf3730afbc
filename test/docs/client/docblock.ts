/** What a docblock says: its text, and its tags in their order. */
export type Docblock = { text: string; tags: readonly Tag[] }

/** A tag of a docblock with what follows it; `name` is that of a parameter. */
export type Tag = { kind: string; name: string | null; text: string }

/** Of what has no docblock. */
export const NO_DOC: Docblock = { text: '', tags: [] }

/** Reads a comment that begins with two stars. */
export function parseDocblock(comment: string): Docblock {
  const lines = comment
    .slice(3, -2)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
  const [text = '', ...tags] = lines.join('\n').split(/^@(?=[a-z]+\b)/m)
  return { text: text.trim(), tags: tags.map(parseTag) }
}

function parseTag(tag: string): Tag {
  const [, kind = '', rest = ''] = /^([a-z]+)\s*([\s\S]*)$/.exec(tag) ?? []
  const [, name = null, text = rest] = kind === 'param' ? (/^(\S+) - ([\s\S]*)$/.exec(rest) ?? []) : []
  return { kind, name, text: text.trim() }
}

export const tagsOf = (doc: Docblock, kind: string): Tag[] => doc.tags.filter((tag) => tag.kind === kind)
