// The one channel to what answers: requests with answers, messages without, and coming back after a drop.
//
// Nothing is lost with the connection: every screen registers what it follows with `onOpen`, which
// runs again after each reconnection, and the server answers with the whole state.

import { signal } from '@preact/signals';
import type { ClientMessage, ServerMessage } from './contract';
import { Refusal } from './rest';
import { transport, type Channel } from './transport';

export type Link = 'connecting' | 'open' | 'lost';
interface Waiting { resolve: (message: never) => void; reject: (cause: Refusal) => void }
interface Message { type: string; id?: number; code?: string; message?: string }

const FIRST_DELAY = 250;
const LONGEST_DELAY = 8000;
const PING_EVERY = 15000;
const SILENCE = 35000;

/** How long to wait before the attempt with this number (from 0). */
export function backoff(attempt: number): number {
  return Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** attempt);
}

export class Connection {
  readonly link = signal<Link>('connecting');
  private channel: Channel | null = null;
  private attempt = 0;
  private nextId = 1;
  private lastMessage = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private readonly listeners = new Map<string, Set<(message: never) => void>>();
  private readonly openers = new Set<() => void>();

  constructor() {
    window.addEventListener('online', () => this.retry());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.retry();
    });
    setInterval(() => this.beat(), PING_EVERY);
  }

  connect(): void {
    clearTimeout(this.timer);
    const channel = transport.connect({
      opened: () => {
        this.attempt = 0;
        this.lastMessage = Date.now();
        this.link.value = 'open';
        for (const opener of [...this.openers]) opener();
      },
      message: (text) => {
        if (this.channel === channel) this.receive(text);
      },
      closed: () => {
        if (this.channel === channel) this.dropped();
      },
    });
    this.channel = channel;
  }

  /** Runs now if connected, and after every reconnection; the answer removes it. */
  onOpen(opener: () => void): () => void {
    this.openers.add(opener);
    if (this.link.value === 'open') opener();
    return () => this.openers.delete(opener);
  }

  on<K extends ServerMessage['type']>(type: K, listener: (message: Extract<ServerMessage, { type: K }>) => void): () => void {
    const set = this.listeners.get(type) ?? new Set();
    set.add(listener as (message: never) => void);
    this.listeners.set(type, set);
    return () => set.delete(listener as (message: never) => void);
  }

  send(message: ClientMessage & { id?: number }): boolean {
    if (!this.channel?.isOpen) return false;
    this.channel.send(JSON.stringify(message));
    return true;
  }

  request<T extends ServerMessage>(message: ClientMessage): Promise<T> {
    const id = this.nextId++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (message: never) => void, reject });
      if (!this.send({ ...message, id })) {
        this.waiting.delete(id);
        reject(new Refusal('network', 'not connected'));
      }
    });
  }

  /** Begins something whose news come as messages; `refused` hears why it was not begun. */
  begin(message: ClientMessage, refused: (cause: Refusal) => void): void {
    this.request(message).catch((cause: unknown) => {
      // What a lost connection has cut off is begun again by whoever wants it.
      if (cause instanceof Refusal && cause.code !== 'network') refused(cause);
    });
  }

  private receive(text: string): void {
    this.lastMessage = Date.now();
    let message: Message;
    try {
      message = JSON.parse(text) as Message;
    } catch {
      return;
    }
    const waiting = message.id === undefined ? undefined : this.waiting.get(message.id);
    if (waiting && message.id !== undefined) {
      this.waiting.delete(message.id);
      if (message.type === 'error') waiting.reject(new Refusal(message.code ?? 'internal', message.message ?? ''));
      else waiting.resolve(message as never);
    }
    for (const listener of [...(this.listeners.get(message.type) ?? [])]) listener(message as never);
  }

  private dropped(): void {
    this.channel = null;
    this.link.value = 'lost';
    const refusal = new Refusal('network', 'the connection was lost');
    for (const { reject } of this.waiting.values()) reject(refusal);
    this.waiting.clear();
    this.timer = setTimeout(() => this.connect(), backoff(this.attempt++));
  }

  private retry(): void {
    if (this.channel === null && this.link.value === 'lost') {
      this.attempt = 0;
      this.connect();
    }
  }

  /** A dead connection may look open for minutes: silence ends it. */
  private beat(): void {
    if (!this.channel?.isOpen) return;
    if (Date.now() - this.lastMessage > SILENCE) this.channel.close();
    else this.send({ type: 'ping' });
  }
}

let only: Connection | undefined;
export function connection(): Connection {
  only ??= new Connection();
  return only;
}
