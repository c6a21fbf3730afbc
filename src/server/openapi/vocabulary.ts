import { WORDS, type Word } from './words.ts'

/** Where a word stands: its own name, and what it is a part of. */
export type Place = { word: string; within?: string | undefined }

/** What a word means where it stands; throws where nothing says so, so that no field goes without. */
export function meaningOf(place: Place): string {
  const [meaning] = find(place) ?? []
  if (meaning === undefined) throw new Error(`words.ts does not say what ${place.word} means (in ${place.within})`)
  return meaning
}

/** Values that the word could have. */
export const examplesOf = (place: Place): readonly unknown[] => find(place)?.slice(1) ?? []

const find = ({ word, within }: Place): Word | undefined => WORDS[`${within}.${word}`] ?? WORDS[word]
