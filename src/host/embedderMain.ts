import { loadModel } from '../engine/model/modelManifest';
import { OnnxEmbedder } from '../engine/model/onnxEmbedder';
import { runEmbedderProcess } from './embedderServer';

runEmbedderProcess(async (modelDir, threads) => OnnxEmbedder.create(await loadModel(modelDir), { threads }));
