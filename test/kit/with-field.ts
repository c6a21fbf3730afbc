/** The same object with something else at a dotted path; undefined removes what is there. */
export function withField(body: object, path: string, value: unknown): Record<string, unknown> {
  const copy: Record<string, unknown> = structuredClone(body) as Record<string, unknown>
  const names = path.split('.')
  const last = names.pop() as string
  const parent = names.reduce((at, name) => at[name] as Record<string, unknown>, copy)
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return copy
}
