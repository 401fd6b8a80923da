import { type Field, lengthField, readFields, textsOf, varintField, varintsOf } from './protobuf';

/** Numbers of fields in ONNX's messages (onnx.proto). */
const MODEL = { graph: 7 };
const GRAPH = { node: 1, initializer: 5 };
const NODE = { input: 1, output: 2, kind: 4 };
const TENSOR = { dimension: 1, type: 2, floats: 4, name: 8, raw: 9 };
const FLOAT = 1;

interface Node {
  readonly kind: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly whole: Buffer;
}

interface Tensor {
  readonly dimensions: readonly number[];
  readonly fields: readonly Field[];
}

/**
 * The same weights as 32-bit numbers, multiplied as such: what a model quantised by ONNX Runtime's dynamic quantisation
 * (int8, by column) was before, but for the rounding. Its embeddings stay 8-bit numbers: they are looked up, not multiplied.
 * @throws Error when no multiplication of the expected form is there.
 */
export function floatModel(onnx: Buffer): Buffer {
  const model = readFields(onnx);
  const graph = model.find(field => field.number === MODEL.graph);
  if (graph === undefined) throw new Error('the model has no graph');
  const parts = model.map(field =>
    field === graph ? lengthField(MODEL.graph, floatGraph(readFields(graph.content))) : field.whole,
  );
  return Buffer.concat(parts);
}

function floatGraph(fields: readonly Field[]): Buffer {
  const nodes = new Map(fields.filter(({ number }) => number === GRAPH.node).map(field => [field, readNode(field)]));
  const tensors = new Map(
    fields
      .filter(({ number }) => number === GRAPH.initializer)
      .map(({ content }) => {
        const tensor = readFields(content);
        const read = { dimensions: varintsOf(tensor, TENSOR.dimension), fields: tensor };
        return [textsOf(tensor, TENSOR.name)[0] ?? '', read] as const;
      }),
  );
  const { replaced, weights } = plainProducts([...nodes.values()], tensors);
  const parts = fields.flatMap(field => {
    const node = nodes.get(field);
    return node === undefined ? field.whole : (replaced.get(node) ?? field.whole);
  });
  return Buffer.concat([...parts, ...weights]);
}

/**
 * `X → DynamicQuantizeLinear → MatMulInteger(·, W) → Cast → Mul(·, scales)` becomes `MatMul(X, W as floats)`, in place of
 * its last node; the others become nothing.
 */
function plainProducts(
  nodes: readonly Node[],
  tensors: ReadonlyMap<string, Tensor>,
): { readonly replaced: ReadonlyMap<Node, Buffer>; readonly weights: readonly Buffer[] } {
  const makerOf = new Map(nodes.flatMap(node => node.outputs.map(output => [output, node] as const)));
  const replaced = new Map<Node, Buffer>();
  const weights: Buffer[] = [];
  const nothing = Buffer.alloc(0);
  for (const product of nodes.filter(({ kind }) => kind === 'MatMulInteger')) {
    const [input = '', weight = ''] = product.inputs;
    const quantize = makerOf.get(input);
    const cast = userOf(nodes, product.outputs[0]);
    const scaled = userOf(nodes, cast?.outputs[0]);
    const scales = scaled?.inputs.map(name => makerOf.get(name)).find(node => node?.kind === 'Mul');
    const columnScales = scales?.inputs.find(name => tensors.has(name));
    if (quantize?.kind !== 'DynamicQuantizeLinear' || cast?.kind !== 'Cast' || scaled?.kind !== 'Mul' || !columnScales)
      throw new Error(`the product with ${weight} is not of the expected form`);
    const name = `${weight}_float`;
    weights.push(lengthField(GRAPH.initializer, floatTensor(name, tensors.get(weight), tensors.get(columnScales))));
    for (const node of [quantize, product, cast, ...(scales === undefined ? [] : [scales])])
      replaced.set(node, nothing);
    replaced.set(scaled, productNode(quantize.inputs[0] ?? '', name, scaled.outputs[0] ?? ''));
  }
  if (weights.length === 0) throw new Error('the model has no quantised products');
  return { replaced, weights };
}

function userOf(nodes: readonly Node[], name: string | undefined): Node | undefined {
  return nodes.find(({ inputs }) => name !== undefined && inputs.includes(name));
}

function productNode(input: string, weight: string, output: string): Buffer {
  const node = [
    lengthField(NODE.input, input),
    lengthField(NODE.input, weight),
    lengthField(NODE.output, output),
    lengthField(NODE.kind, 'MatMul'),
  ];
  return lengthField(GRAPH.node, Buffer.concat(node));
}

/** Zero points are 0: the quantisation is symmetric. */
function floatTensor(name: string, weight: Tensor | undefined, scales: Tensor | undefined): Buffer {
  if (weight === undefined || scales === undefined) throw new Error(`${name} has no weights or no scales`);
  const quantised = contentOf(weight, TENSOR.raw);
  const factors = floatsOf(scales);
  const floats = new Float32Array(quantised.length);
  for (let at = 0; at < floats.length; at++)
    floats[at] = quantised.readInt8(at) * (factors[at % factors.length] ?? NaN);
  return Buffer.concat([
    ...weight.dimensions.map(length => varintField(TENSOR.dimension, length)),
    varintField(TENSOR.type, FLOAT),
    lengthField(TENSOR.name, name),
    lengthField(TENSOR.raw, Buffer.from(floats.buffer)),
  ]);
}

function floatsOf(tensor: Tensor): Float32Array {
  const raw = contentOf(tensor, TENSOR.raw);
  // One by one, or packed.
  const bytes = raw.length > 0 ? raw : contentOf(tensor, TENSOR.floats);
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

function contentOf({ fields }: Tensor, number: number): Buffer {
  return Buffer.concat(fields.filter(field => field.number === number).map(({ content }) => content));
}

function readNode({ content, whole }: Field): Node {
  const fields = readFields(content);
  const [kind = ''] = textsOf(fields, NODE.kind);
  return { kind, inputs: textsOf(fields, NODE.input), outputs: textsOf(fields, NODE.output), whole };
}
