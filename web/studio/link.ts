import type { Shape } from 'noli-viewer';
import type { Event } from './types';

/** Delays between attempts, in milliseconds; after the third, the server counts as ended. */
const [SHORTEST, ENDED, LONGEST] = [250, 1500, 5000];

/** The connection to the server: reconnects by itself and then receives the whole state. */
export class Link {
  onEvent: (event: Event) => void = () => {};
  onState: (state: 'open' | 'lost' | 'ended') => void = () => {};
  /** Bytes and messages received, and bytes of the last results. */
  received = 0;
  messages = 0;
  lastResults = 0;
  private socket: WebSocket | null = null;
  private wait = SHORTEST;
  private ended = false;

  open(): void {
    const address = new URL('/api/live', location.href);
    address.protocol = 'ws:';
    const token = new URLSearchParams(location.search).get('token');
    if (token) address.searchParams.set('token', token);
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.onopen = () => {
      [this.wait, this.ended] = [SHORTEST, false];
      this.onState('open');
    };
    socket.onmessage = (message) => {
      const text = message.data as string;
      const event = JSON.parse(text) as Event;
      this.received += text.length;
      this.messages++;
      if (event.say === 'results' || event.say === 'results_change') this.lastResults = text.length;
      if (event.say === 'bye') this.ended = true;
      this.onEvent(event);
    };
    socket.onclose = () => {
      this.socket = null;
      this.ended ||= this.wait > ENDED;
      this.onState(this.ended ? 'ended' : 'lost');
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST);
    };
  }

  /** Sends a command; returns `false` without a connection. */
  say(command: Record<string, unknown>): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(command));
    return true;
  }
}

/** Shapes from a number on, as the server sends them: of kind 0 with triangles, 1 a point cloud, 2 a voxel grid. */
export const fetchShapes = (from: number): Promise<Shape[]> => shapesOf(`/api/shapes?from=${from}`);

/** The mesh of the swept volume. */
export const fetchSwept = async (): Promise<Shape | null> => (await shapesOf('/api/swept'))[0] ?? null;

async function shapesOf(address: string): Promise<Shape[]> {
  const token = new URLSearchParams(location.search).get('token');
  const answer = await fetch(address, token ? { headers: { Authorization: `Bearer ${token}` } } : {});
  if (!answer.ok) throw new Error(await answer.text());
  const bytes = await answer.arrayBuffer();
  const counts = new DataView(bytes);
  const shapes: Shape[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    const [kind, places, triangles, certain] = [0, 4, 8, 12].map((offset) => counts.getUint32(at + offset, true)) as [number, number, number, number];
    const size = counts.getFloat32(at + 16, true);
    const positions = new Float32Array(bytes, at + 20, 3 * places);
    shapes.push({
      positions,
      triangles: new Uint32Array(bytes, at + 20 + 12 * places, 3 * triangles),
      radius: kind === 1 ? size : undefined,
      cells: kind === 2 ? { edge: size, certain } : undefined,
    });
    at += 20 + 12 * places + 12 * triangles;
  }
  return shapes;
}
