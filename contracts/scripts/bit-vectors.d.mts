/** The same query in bit vectors alone, up to `(check-sat)`; `query` is in SMT-LIB 2, as solc asks it. */
export function inBitVectors(query: string): string
