import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inModule } from '../../support/buildTool';

/** What runs the model in packages of platforms that the runtime in use has no build for. */
export interface OtherRuntime {
  readonly name: string;
  /** The folder of a package with the interface of `onnxruntime-node`. */
  readonly folder: string;
}

/** Fetches them as packing does, and lays them out so that this machine can run them. */
export function otherRuntimes(cache: string): OtherRuntime[] {
  const { last, web } = inModule<
    Record<'last' | 'web', readonly { readonly name: string; readonly folder: string }[]>
  >(`
    const { TARGETS } = await import('./src/build/targets.mjs');
    const { unpacked } = await import('./src/build/packageParts.mjs');
    const fetched = target => TARGETS[target].pinned.map(pin => ({ name: pin.name, folder: unpacked('.', pin) }));
    result = { last: fetched('darwin-x64'), web: fetched('alpine-x64') }`);
  const common = { name: 'onnxruntime-common', folder: 'node_modules/onnxruntime-common' };
  const adapter = { name: 'onnxruntime-node', folder: 'src/build/wasmRuntime' };
  const lay = (folder: string, parts: readonly { readonly name: string; readonly folder: string }[]): string => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const part of parts) cpSync(part.folder, join(folder, 'node_modules', part.name), { recursive: true });
    return resolve(folder, 'node_modules/onnxruntime-node');
  };
  return [
    { name: 'ONNX Runtime 1.23.2', folder: lay(join(cache, 'last-runtime'), last) },
    { name: 'as WebAssembly', folder: lay(join(cache, 'web-runtime'), [...web, common, adapter]) },
  ];
}
