import { once } from 'node:events';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  type ListToolsResult,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { checkFolder } from '../../engine/files/fileWalker';
import { EngineClient, type EngineClientOptions } from '../../host/engineClient';
import { isCancelled, LandmarkError, messageOf } from '../../util/errors';
import { nullLogger } from '../../util/logger';
import { printable } from '../../util/text';
import { ServedFolders } from './servedFolders';
import { type Tool, toolsOver } from './tools';

export interface McpOptions {
  /** As they were typed. */
  readonly folders: readonly string[];
  readonly version: string;
  readonly engine: Pick<EngineClientOptions, 'searchMain' | 'config'>;
  /** Takes a sentence about the server itself: what it answers goes to stdout, which carries nothing else. */
  readonly say: (sentence: string) => void;
}

const INSTRUCTIONS =
  'Searches the source of a project on this machine by what the code does. Ask "search" a question in plain words before you read files or guess names; "similar" finds files like one you know; "explain" says why a file is not found.';

/**
 * Serves the folders over the Model Context Protocol on stdin and stdout until stdin ends or the signal is aborted.
 * Read-only: an index that is not there is not made, and the tools say how to make it.
 * @returns the exit status: 1 when a folder cannot be served, with the reason said.
 */
export async function serveMcp(options: McpOptions, signal: AbortSignal): Promise<number> {
  let folders: string[];
  try {
    folders = [...new Set(await Promise.all(options.folders.map(checkFolder)))];
  } catch (error) {
    options.say(messageOf(error));
    return 1;
  }
  const engine = new LazyEngine(options.engine);
  const server = serverOf(toolsOver(new ServedFolders(folders), engine), options);
  const ended = new Promise<void>(resolve => (server.onclose = resolve));
  const transport = new StdioServerTransport();
  await server.connect(transport);
  try {
    await Promise.race([ended, once(process.stdin, 'end'), once(process.stdin, 'close'), whenAborted(signal)]);
  } finally {
    await server.close();
    await engine.stop();
  }
  return 0;
}

function serverOf(tools: readonly Tool[], { version, say }: McpOptions): Server {
  const server = new Server(
    { name: 'landmark-code-search', title: 'Landmark Code Search', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.onerror = error => say(`A message was left aside: ${printable(error.message)}`);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(describedTool) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) {
      const known = tools.map(({ name }) => name).join(', ');
      throw new McpError(ErrorCode.InvalidParams, `There is no tool "${params.name}": expected one of ${known}.`);
    }
    return callTool(tool, params.arguments ?? {}, signal);
  });
  return server;
}

function describedTool({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
}: Tool): ListToolsResult['tools'][number] {
  const annotations = { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  const { required, ...rest } = inputSchema;
  return { name, title, description, annotations, inputSchema: { ...rest, required: [...required] }, outputSchema };
}

/** A failure is an answer too: the one who called can read it and do better. */
async function callTool(tool: Tool, input: unknown, signal: AbortSignal): Promise<CallToolResult> {
  try {
    const { structured, text } = await tool.run(input, signal);
    return { content: [{ type: 'text', text }], structuredContent: { ...structured } };
  } catch (error) {
    if (isCancelled(error)) throw error;
    const sentence =
      error instanceof LandmarkError ? error.message : `Something unexpected went wrong: ${messageOf(error)}.`;
    return { content: [{ type: 'text', text: printable(sentence) }], isError: true };
  }
}

/** Many servers are started and few are asked: the search process starts with the first question. */
class LazyEngine implements Pick<EngineClient, 'request'> {
  private client: EngineClient | undefined;

  constructor(private readonly options: McpOptions['engine']) {}

  readonly request: EngineClient['request'] = (kind, params, options) => {
    this.client ??= EngineClient.start({ ...this.options, logger: nullLogger });
    return this.client.request(kind, params, options);
  };

  async stop(): Promise<void> {
    await this.client?.stop();
  }
}

function whenAborted(signal: AbortSignal): Promise<unknown> {
  return signal.aborted ? Promise.resolve() : once(signal, 'abort');
}
