import { baseOf } from './filePaths';
import { extensionOf, languageOf } from './languages';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Formats that hold no text; files with these endings are left out without being read. */
const NON_TEXT_EXTENSIONS = words(
  'png jpg jpeg jpe gif bmp ico icns webp avif heic heif tif tiff psd ai eps xcf raw cr2 nef jxl ' +
    'woff woff2 ttf otf eot ttc pfb ' +
    'mp3 mp4 m4a m4v wav flac ogg oga ogv opus aac avi mov mkv webm wmv flv mid midi ' +
    'zip gz tgz bz2 xz zst lz4 7z rar tar br cab iso dmg deb rpm apk ipa jar war ear aar whl egg gem nupkg vsix crx msi pkg ' +
    'exe dll so dylib lib a o obj ko elf class pyc pyo pyd wasm bc rlib rmeta pdb ilk node dex ' +
    'pdf doc docx dotx xls xlsx xlsm ppt pptx odt ods odp rtf epub mobi ' +
    'db sqlite sqlite3 db3 mdb accdb lmdb parquet arrow feather avro orc h5 hdf5 npy npz pkl pickle mat rds rdata ' +
    'onnx pt pth ckpt safetensors gguf tflite caffemodel mlmodel joblib ' +
    'glb fbx blend 3ds stl dae usdz unitypackage uasset umap ' +
    'bin dmp swp swo lockb nib car gmo',
);

/** Formats whose files are written by programs and hold drawings, mappings or rows rather than statements. */
const DATA_EXTENSIONS = words('map svg svgz drawio excalidraw');

/** Rows of data: small samples are worth finding, large ones are not. */
const ROW_EXTENSIONS = words('csv tsv psv jsonl ndjson log po pot srt vtt ply wkt gpx kml');

const CONFIGURATION_LANGUAGES = words('json yaml toml xml ini');

const LOCK_NAMES = words(
  'package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-lock.yml go.sum go.work.sum package.resolved packages.lock.json ' +
    'project.assets.json gradle.lockfile .terraform.lock.hcl cabal.project.freeze .pnp.cjs .pnp.loader.mjs ' +
    'conda-lock.yml',
);

/** True where the ending names a format without text (pictures, fonts, archives, media, programs, databases). */
export function isNonTextName(path: string): boolean {
  return NON_TEXT_EXTENSIONS.has(extensionOf(path)) || /\.so\.[0-9.]+$/.test(path);
}

/** True for drawings and source maps: text, yet data whatever its size. */
export function isDataName(path: string): boolean {
  return DATA_EXTENSIONS.has(extensionOf(path));
}

/** True for tables, logs and translations, which count as data from a size on. */
export function isRowsName(path: string): boolean {
  return ROW_EXTENSIONS.has(extensionOf(path));
}

/** True for configuration and markup data (JSON, YAML, TOML, XML, INI), which has a limit of its own. */
export function isConfigurationName(path: string): boolean {
  return CONFIGURATION_LANGUAGES.has(languageOf(path) ?? '');
}

/** True for the files in which package managers pin versions. */
export function isLockName(path: string): boolean {
  const name = baseOf(path).toLowerCase();
  return LOCK_NAMES.has(name) || name.endsWith('.lock');
}
