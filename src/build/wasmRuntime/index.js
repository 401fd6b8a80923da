'use strict';
// Stands in a package for `onnxruntime-node` where that has no binaries: the same interface over the runtime's
// WebAssembly. One thread: with more, each waits for the others at full speed, and the model runs at low priority.
const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const runtime = require('onnxruntime-web');

const folder = dirname(require.resolve('onnxruntime-web'));
runtime.env.wasm.numThreads = 1;
// Read here, so that the runtime has nothing to look for.
runtime.env.wasm.wasmBinary = readFileSync(join(folder, 'ort-wasm-simd-threaded.wasm'));

// It has code for browsers that fetches files. Nothing here does, and nothing shall.
globalThis.fetch = undefined;

module.exports = runtime;
