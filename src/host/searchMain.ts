import { cleanData, listData } from '../engine/dataKeeping';
import { EngineRuntime } from '../engine/engineRuntime';
import { realPathOf } from '../engine/files/realPath';
import { evaluatePast } from '../engine/evaluation/pastEvaluation';
import { loadModel } from '../engine/model/modelManifest';
import { OnnxEmbedder } from '../engine/model/onnxEmbedder';
import { SemanticEngine } from '../engine/semanticEngine';
import { LandmarkError } from '../util/errors';
import { EmbedderProcess } from './embedderProcess';
import { WITHOUT_QUERY_MODEL } from './searchArguments';
import { runSearchProcess } from './searchProcess';

const withoutQueryModel = process.argv.includes(WITHOUT_QUERY_MODEL);

runSearchProcess((config, logger) => {
  const runtime: EngineRuntime = new EngineRuntime({
    dataDir: config.dataDir,
    logger,
    model: () => loadModel(config.modelDir),
    async queryEmbedder() {
      if (withoutQueryModel) {
        throw new LandmarkError(
          'runtime-unavailable',
          'The model is left out because the search process ended with it.',
        );
      }
      const tokenIds = await runtime.tokenizer();
      return OnnxEmbedder.create(await runtime.model(), { threads: 1, tokenIds });
    },
    async indexEmbedder() {
      const { dimensions } = (await runtime.model()).manifest;
      return new EmbedderProcess({ ...config, dimensions, logger });
    },
  });
  return {
    open: (folder, options, onStatus) => SemanticEngine.open(folder, options, runtime, onStatus),
    evaluatePast: (folder, onProgress, signal) => evaluatePast(folder, runtime, onProgress, signal),
    data: (action, signal) => (action === 'list' ? listData(runtime) : cleanData(runtime, signal)),
    close: () => runtime.close(),
  };
}, realPathOf);
