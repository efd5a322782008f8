/* onnxruntime-web: its WebAssembly back end, with SIMD, on one thread.  One model for each way to say attention in it. */
import proto from "onnx-proto";
import * as ort from "onnxruntime-web";

export const version = ort.env.versions.web;
ort.env.wasm.numThreads = 1;

const { FLOAT } = proto.onnx.TensorProto.DataType;
const { INT, FLOAT: ONE_FLOAT } = proto.onnx.AttributeProto.AttributeType;
const integer = (name, i) => ({ name, type: INT, i });
const real = (name, f) => ({ name, type: ONE_FLOAT, f });

function model(inputs, output, node) {
  const value = ([name, sizes]) => ({
    name,
    type: { tensorType: { elemType: FLOAT, shape: { dim: sizes.map((dimValue) => ({ dimValue })) } } },
  });
  const graph = { name: "attention", input: inputs.map(value), output: [value(["o", output])], node };
  const opsetImport = [{ domain: "", version: 23 }, { domain: "com.microsoft", version: 1 }];
  return proto.onnx.ModelProto.encode(proto.onnx.ModelProto.fromObject({ irVersion: 10, opsetImport, graph })).finish();
}

/** (A, B, D) -> (B, A, D). */
function swapped(array, a, b, width) {
  const made = new Float32Array(array.length);
  for (let i = 0; i < a; i++)
    for (let j = 0; j < b; j++) {
      const from = (i * b + j) * width;
      made.set(array.subarray(from, from + width), (j * a + i) * width);
    }
  return made;
}

/** (H, T, D) -> (H, D, T). */
function keysAcross(array, heads, tokens, width) {
  const made = new Float32Array(array.length);
  for (let h = 0; h < heads; h++)
    for (let t = 0; t < tokens; t++)
      for (let d = 0; d < width; d++) made[(h * width + d) * tokens + t] = array[(h * tokens + t) * width + d];
  return made;
}

/* Each: the sizes of q, k and v (or k across) and of o, the nodes, and the arrays in the layout that it wants. */
const operators = {
  MultiHeadAttention({ heads, tokens, width, causal }, arrays) {
    const sizes = [1, tokens, heads * width]; // tokens before heads
    const attribute = [integer("num_heads", heads), integer("unidirectional", causal ? 1 : 0)];
    const node = [{ opType: "MultiHeadAttention", domain: "com.microsoft", input: ["q", "k", "v"], output: ["o"], attribute }];
    const heads_first = (o) => swapped(o, tokens, heads, width);
    return { sizes: [sizes, sizes, sizes], node, arrays: arrays.map((a) => swapped(a, heads, tokens, width)), heads_first };
  },
  Attention({ heads, tokens, width, causal }, arrays) {
    const sizes = [1, heads, tokens, width];
    const attribute = [integer("is_causal", causal ? 1 : 0)];
    const node = [{ opType: "Attention", input: ["q", "k", "v"], output: ["o"], attribute }];
    return { sizes: [sizes, sizes, sizes], node, arrays };
  },
  "MatMul, Softmax, MatMul"({ heads, tokens, width, causal }, [q, k, v]) {
    if (causal) return null;
    const sizes = [1, heads, tokens, width];
    const node = [
      { opType: "FusedMatMul", domain: "com.microsoft", input: ["q", "k"], output: ["s"], attribute: [real("alpha", width ** -0.5)] },
      { opType: "Softmax", input: ["s"], output: ["p"], attribute: [integer("axis", -1)] },
      { opType: "MatMul", input: ["p", "v"], output: ["o"] },
    ];
    return { sizes: [sizes, [1, heads, width, tokens], sizes], node, arrays: [q, keysAcross(k, heads, tokens, width), v] };
  },
};
export const names = Object.keys(operators);

/** null where the operator does not offer it. */
export async function prepare(name, shape, inputs) {
  const made = operators[name](shape, inputs);
  if (made === null) return null;
  const bytes = model(["q", "k", "v"].map((one, i) => [one, made.sizes[i]]), made.sizes[0], made.node);
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ["wasm"] });
  const feeds = {};
  ["q", "k", "v"].forEach((one, i) => (feeds[one] = new ort.Tensor("float32", made.arrays[i], made.sizes[i])));
  let output;
  const run = async () => {
    output = (await session.run(feeds)).o.data;
  };
  return { run, result: () => (made.heads_first ?? ((o) => o))(output), release: () => session.release() };
}
