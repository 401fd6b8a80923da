// A small program in several languages, each file about one thing, for questions whose answer is certain.
export const SOURCES = {
  'README.md': '# Harbour\n\nA sample program: a server with a cache, settings and accounts.\n',
  'src/net/retry.ts': `import { sleep } from './sleep';

const FIRST_DELAY_MS = 100;
const MOST_ATTEMPTS = 6;

/** Runs a task again when it throws; the delay doubles after each failed attempt (exponential backoff). */
export async function retry<T>(task: () => Promise<T>): Promise<T> {
  let delay = FIRST_DELAY_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await task();
    } catch (error) {
      if (attempt === MOST_ATTEMPTS) throw error;
      await sleep(delay);
      delay *= 2;
    }
  }
}
`,
  'src/net/httpServer.ts': `import { createServer } from 'node:http';

/** Listens on a port and answers every request with the router's response. */
export function startServer(port: number, route: (url: string) => string) {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(route(request.url ?? '/'));
  });
  server.listen(port);
  return server;
}
`,
  'src/cache/lruCache.ts': `/** Keeps the most recently used entries and throws the oldest one away when it is full. */
export class LruCache<K, V> {
  private readonly entries = new Map<K, V>();
  constructor(private readonly capacity: number) {}

  get(key: K): V | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.capacity) this.entries.delete(this.entries.keys().next().value as K);
  }
}
`,
  'src/cache/ttlCache.ts': `/** Keeps entries for a limited time and forgets those that have expired. */
export class TtlCache<K, V> {
  private readonly entries = new Map<K, { value: V; expires: number }>();
  constructor(private readonly lifetimeMs: number) {}

  get(key: K): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined || entry.expires < Date.now()) {
      this.entries.delete(key);
      return undefined;
    }
    return entry.value;
  }

  set(key: K, value: V): void {
    this.entries.set(key, { value, expires: Date.now() + this.lifetimeMs });
  }
}
`,
  'src/accounts/password.py': `import hashlib
import hmac
import os


def hash_password(password: str) -> bytes:
    """Derives a salted key, so that equal passwords have different hashes."""
    salt = os.urandom(16)
    return salt + hashlib.scrypt(password.encode(), salt=salt, n=16384, r=8, p=1)


def verify_password(password: str, stored: bytes) -> bool:
    """Compares in constant time."""
    salt, key = stored[:16], stored[16:]
    return hmac.compare_digest(hashlib.scrypt(password.encode(), salt=salt, n=16384, r=8, p=1), key)
`,
  'src/settings/readSettings.go': `package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Settings are what the user has chosen; missing ones have their defaults.
type Settings struct {
	Theme    string
	FontSize int
}

// Read loads the user's settings file from the home folder.
func Read() (Settings, error) {
	settings := Settings{Theme: "light", FontSize: 12}
	home, err := os.UserHomeDir()
	if err != nil {
		return settings, err
	}
	data, err := os.ReadFile(filepath.Join(home, ".harbour.json"))
	if err != nil {
		return settings, nil
	}
	return settings, json.Unmarshal(data, &settings)
}
`,
  'src/images/Thumbnail.java': `package images;

import java.awt.image.BufferedImage;

/** Scales pictures down to small previews and keeps their proportions. */
final class Thumbnail {
  static BufferedImage scale(BufferedImage picture, int width) {
    int height = picture.getHeight() * width / picture.getWidth();
    BufferedImage small = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    small.getGraphics().drawImage(picture, 0, 0, width, height, null);
    return small;
  }
}
`,
  'src/text/wordCount.rs': `use std::collections::HashMap;

/// Counts how often every word occurs in a text, ignoring case.
pub fn count_words(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word.to_lowercase()).or_insert(0) += 1;
    }
    counts
}
`,
};
