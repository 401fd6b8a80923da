import { EngineClient } from '../../src/host/engineClient';
import { nullLogger } from '../../src/util/logger';

/** A client that starts both processes, prints their ids and then stays: a test kills it. */
const [searchMain = '', embedderMain = '', folder = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const config = { dataDir: '', modelDir: '', embedderMain, threads: 1, memoryLimitMb: 1000 };
  const client = EngineClient.start({ searchMain, config, logger: nullLogger });
  const opened = await client.request('open', { folder, options: { access: 'read' } });
  const { responses } = await client.request('search', { folders: [opened.folder], request: { query: 'embed' } });
  process.stdout.write(`${JSON.stringify([client.pid, Number(responses[0]?.response.query)])}\n`);
}

void main();
