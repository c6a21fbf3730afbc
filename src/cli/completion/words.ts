/**
 * The words of a line as a shell would split it, up to where someone types. The last one is the one that is being typed,
 * empty after a space; what stands in quotes is one word, also while the quote is open.
 */
export function wordsOf(line: string): string[] {
  const words: string[] = ['']
  let quote = ''
  for (const character of line) {
    if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
    else if (quote === '' && character === ' ') words.push('')
    else words[words.length - 1] += character
  }
  return words.filter((word, index) => word !== '' || index === words.length - 1)
}
