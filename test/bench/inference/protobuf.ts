/** One field of a message: its bytes as they stand there, with their key, and its content where that has a length. */
export interface Field {
  readonly number: number;
  readonly whole: Buffer;
  readonly content: Buffer;
}

const WIRE = { varint: 0, eight: 1, length: 2, four: 5 } as const;

/** The fields of a message in protocol buffers' format, in order. */
export function readFields(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const start = at;
    const key = varint();
    let from = at;
    switch (key & 7) {
      case WIRE.varint:
        varint();
        break;
      case WIRE.eight:
        at += 8;
        break;
      case WIRE.four:
        at += 4;
        break;
      case WIRE.length: {
        const length = varint();
        from = at;
        at += length;
        break;
      }
      default:
        throw new Error(`wire type ${key & 7} is not expected`);
    }
    fields.push({ number: key >>> 3, whole: message.subarray(start, at), content: message.subarray(from, at) });
  }
  return fields;
}

/** The numbers of a repeated varint field, packed or not: `content` of a varint field is its bytes. */
export function varintsOf(fields: readonly Field[], number: number): number[] {
  const values: number[] = [];
  for (const { content } of fields.filter(field => field.number === number)) {
    let value = 0;
    let shift = 1;
    for (const byte of content) {
      value += (byte & 127) * shift;
      shift *= 128;
      if (byte >= 128) continue;
      values.push(value);
      value = 0;
      shift = 1;
    }
  }
  return values;
}

export function textsOf(fields: readonly Field[], number: number): string[] {
  return fields.filter(field => field.number === number).map(({ content }) => content.toString('utf8'));
}

/** A field with a length: bytes or text. */
export function lengthField(number: number, content: Buffer | string): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  return Buffer.concat([varintBytes(number * 8 + WIRE.length), varintBytes(bytes.length), bytes]);
}

export function varintField(number: number, value: number): Buffer {
  return Buffer.concat([varintBytes(number * 8 + WIRE.varint), varintBytes(value)]);
}

function varintBytes(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}
