/** Bytes of files that the fakes received, by SHA-256. Kept from `keepFiles` on, for what draws them; tests need the hashes alone. */
const kept = new Map<string, Buffer>();
let isKeeping = false;

export function keepFiles(): ReadonlyMap<string, Buffer> {
  isKeeping = true;
  return kept;
}

/** Collects the chunks of one file; `end` files them under its hash. */
export function createFileKeeper(): { add(chunk: Buffer): void; end(sha256: string): void } {
  const chunks: Buffer[] = [];
  return {
    add: chunk => {
      if (isKeeping) chunks.push(chunk);
    },
    end: sha256 => {
      if (isKeeping) kept.set(sha256, Buffer.concat(chunks));
    },
  };
}
