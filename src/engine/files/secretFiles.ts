import { baseOf } from './filePaths';
import { extensionOf, languageOf } from './languages';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const SECRET_EXTENSIONS = words('pem key p8 p12 pfx keystore jks kdbx kdb ppk gpg pgp ovpn tfstate');

const SECRET_NAMES = words(
  'credentials credentials.json client_secret.json client_secrets.json .npmrc .yarnrc.yml .netrc _netrc .pypirc .htpasswd .pgpass .my.cnf ' +
    '.git-credentials .dockercfg .dockerconfigjson .envrc .vault-token .s3cfg .boto master.key ' +
    'secrets.json secrets.yml secrets.yaml secrets.toml secret.json secret.yml secret.yaml ' +
    'terraform.tfstate.backup id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk',
);

/** Placeholders that a repository shows on purpose. */
const SHOWN_ON_PURPOSE = /[._-](example|examples|sample|template|tmpl|dist|defaults?)(\.[a-z0-9]+)?$/;

/**
 * True for files that by their name hold keys, passwords or tokens. They are never read, so that nothing of them can
 * reach the index or a preview. `.env.example` and other placeholders, and plain `config.json`, are not among them.
 */
export function isSecretName(path: string): boolean {
  const name = baseOf(path).toLowerCase();
  if (SHOWN_ON_PURPOSE.test(name)) return false;
  if (SECRET_NAMES.has(name) || SECRET_EXTENSIONS.has(extensionOf(name))) return true;
  if (/^service[-_]?account.*\.json$/.test(name)) return true;
  if (/(^|\/)\.docker\/config\.json$/.test(path) || /(^|\/)\.kube\/config$/.test(path)) return true;
  if (name === '.env' || name.endsWith('.env')) return true;
  // `.env.local` and `.env.production`, but not a program such as `.env.d.ts`.
  return name.startsWith('.env.') && (languageOf(name) === undefined || /\.(json|ya?ml|toml|ini)$/.test(name));
}

/** True where the text itself is a private key, whatever its file is called. */
export function isPrivateKeyText(text: string): boolean {
  return /^\s*-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----/.test(text);
}
