// What is kept between visits: texts by key, in the browser's own database. Other windows of the same site
// hear of every change.

const STORE = 'kept';
type Change = { key: string; value: string | null };

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the database failed'));
  });
}

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return done(request);
}

export class Storage {
  private readonly others: BroadcastChannel;

  private constructor(private readonly database: IDBDatabase | null, name: string) {
    this.others = new BroadcastChannel(name);
  }

  /** Where the browser keeps nothing, as in some private windows, what is done lasts as long as the page. */
  static async open(name: string): Promise<Storage> {
    return new Storage(await open(name).catch(() => null), name);
  }

  async all(): Promise<[string, string][]> {
    if (!this.database) return [];
    const store = this.database.transaction(STORE).objectStore(STORE);
    const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
    return keys.map((key, index) => [String(key), String(values[index])]);
  }

  /** Keeps a text, or with `null` forgets it. */
  set(key: string, value: string | null): void {
    this.others.postMessage({ key, value } satisfies Change);
    if (!this.database) return;
    const store = this.database.transaction(STORE, 'readwrite').objectStore(STORE);
    const request = value === null ? store.delete(key) : store.put(value, key);
    request.onerror = () => console.error(`${key} could not be kept: ${request.error?.message}`);
  }

  onChange(heard: (change: Change) => void): void {
    this.others.onmessage = (event: MessageEvent<Change>) => heard(event.data);
  }
}
