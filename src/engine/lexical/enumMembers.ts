/** Opens an enumeration whose members stand on lines of their own: `pub enum A {`, `typedef enum {`, `enum class A(val b: Int) {`. */
const OPENING = /(?:^|[^\p{L}\p{Nd}_$."'])enum(?![\p{L}\p{Nd}_$]*\s*[:=(,;.])(?=[\s{]|$)[^;"'}]*$/u;
/** `A,`, `A = 1,`, `A(String),`, `A {`, `case a`, `A;` with nothing in front but `case` and attributes. */
const MEMBER = /^(?:#\[[^\]]*\]\s*|@\w+\s+)*(?:indirect\s+)?(case\s+)?([\p{L}_$][\p{L}\p{Nd}_$]*)\s*(.?)/u;

/** Knows over the lines of a file which of them name a member of an enumeration. */
export class EnumReader {
  /** Indentation of the line that opened the enumeration, and of its members once the first is seen. */
  private opened: number | undefined;
  private members: number | undefined;

  /** The member that a line names. Must see every line of code that is not blank, in order. */
  memberOn(head: string, indent: number): string | undefined {
    if (this.opened === undefined || (indent <= this.opened && !head.startsWith('{'))) {
      this.members = undefined;
      this.opened = OPENING.test(head) ? indent : undefined;
      return undefined;
    }
    if (head.startsWith('{')) return undefined;
    this.members ??= indent;
    if (indent !== this.members) return undefined;
    const [, isCase, name = '', next = ''] = MEMBER.exec(head) ?? [];
    const isMember = isCase !== undefined || (next === '' ? true : ',=({;/'.includes(next));
    if (!isMember || name === '') return undefined;
    // What follows the list of members in Java, Kotlin and C# are fields and methods.
    if (head.trimEnd().endsWith(';') && isCase === undefined) this.opened = undefined;
    return name;
  }
}
