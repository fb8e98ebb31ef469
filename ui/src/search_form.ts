/** The form in which texts are searched, as `pet/language/normalization.py` makes it. Pure. */

/** A text's search form, and of each of its characters the stretch of the text that gave it. */
interface SearchForm {
  form: string;
  from: (at: number) => number;
  to: (at: number) => number;
}

/** Characters that may change otherwise than to lower case, with what joins them: marks, later jamo, voicing marks. */
const PIECES = /[\s\S](?:\p{M}|[\u1160-\u11ff\uff9e\uff9f])+|[^\0-\x7f\u3001-\u303f\u3041-\u3096\u4e00-\u9fff]/gu;
const LETTERS: Record<string, string> = { ł: "l", ø: "o", đ: "d", æ: "ae", œ: "oe", ı: "i" };

/** Fold case and width, and accents of Latin and Greek unless `accents`. */
export function searchForm(text: string, accents = false): string {
  return text.search(PIECES) < 0 ? text.toLowerCase() : searchFormPlaces(text, accents).form;
}

export function searchFormPlaces(text: string, accents = false): SearchForm {
  let form = "";
  const places: [number, number][] = [];
  let end = 0;
  const keep = (upto: number) => {
    for (let at = end; at < upto; at += 1) places.push([at, at + 1]);
    form += text.slice(end, upto).toLowerCase();
    end = upto;
  };
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    keep(index);
    const its = formOf(piece, accents);
    end = index + piece.length;
    for (let at = 0; at < its.length; at += 1) {
      places.push(its.length === piece.length ? [index + at, index + at + 1] : [index, end]);
    }
    form += its;
  }
  keep(text.length);
  return { form, from: (at) => places[at]?.[0] ?? text.length, to: (at) => places[at]?.[1] ?? text.length };
}

function formOf(piece: string, accents: boolean): string {
  // The detour folds "ß", "ẞ" and the like; it would make an "i" of "ı".
  const folds = (some: string) => some.toLowerCase().toUpperCase().toLowerCase().replace(/ς/g, "σ");
  const folded = piece.normalize("NFKC").replace(/[^ı]+/g, folds);
  if (accents) return folded;
  const letters = folded.replace(/[łøđæœı]/g, (letter) => LETTERS[letter] ?? letter).normalize("NFD");
  return letters.replace(/(?<=[a-zα-ω])[\u0300-\u036f]+/g, "").normalize("NFC");
}
