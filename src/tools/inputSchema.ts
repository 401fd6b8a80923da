import { LandmarkError } from '../util/errors';
import { closedRecord, integerUpTo, matching, optional, textUpTo, type Shape } from '../util/shapes';

/** One parameter of a tool, as JSON Schema says it to a program. */
export type ParameterSchema =
  | {
      readonly type: 'string';
      readonly description: string;
      readonly minLength: 1;
      readonly maxLength: number;
      readonly pattern?: string;
    }
  | {
      readonly type: 'integer';
      readonly description: string;
      readonly minimum: 1;
      readonly maximum: number;
      readonly default: number;
    };

/** What a tool takes: the part of JSON Schema that is used here. */
export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ParameterSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/**
 * Checks what a program hands in against what it was told.
 * @throws LandmarkError `invalid-argument` that names the parameter, what was expected and what came.
 */
export function checkInput(tool: string, schema: InputSchema, input: unknown): void {
  const fields = Object.entries(schema.properties).map(([name, parameter]): [string, Shape] => {
    const shape = shapeOf(parameter);
    return [name, schema.required.includes(name) ? shape : optional(shape)];
  });
  const wrong = closedRecord(Object.fromEntries(fields))(input, '');
  if (wrong !== undefined)
    throw new LandmarkError('invalid-argument', `The tool "${tool}" was called wrongly: ${wrong.replace(/^: /, '')}.`);
}

function shapeOf(parameter: ParameterSchema): Shape {
  if (parameter.type === 'integer') return integerUpTo(parameter.maximum);
  const text = textUpTo(parameter.maxLength);
  return parameter.pattern === undefined ? text : matching(text, new RegExp(parameter.pattern, 'u'));
}
