/** Code with an address, for links from other pages and from programs. */
export const anchored = (code: string, anchor = code): string => `<a id="${anchor}"></a>\`${code}\``

export const code = (text: string): string => `\`${text.trim().replace(/\s+/g, ' ')}\``
