export type AstNode = {
  nodeType: string
  name?: string
  kind?: string
  visibility?: string
  documentation?: { text: string } | null
  parameters?: { parameters: AstNode[] }
  returnParameters?: { parameters: AstNode[] }
  members?: AstNode[]
  nodes?: AstNode[]
}

export function lackingNatSpec(sources: Record<string, { ast: AstNode }>, folder: string): string[]
