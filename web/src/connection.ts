// The socket to the server: connects again by itself, and keeps at most two frames under way.
import { decodeFrame, decodeLayout, isLayout, type Frame, type Layout, type TextMessage } from "./protocol";

export interface Listener {
  connected(on: boolean): void;
  text(message: TextMessage): void;
  layout(layout: Layout): void;
  frame(frame: Frame): void;
}

export class Connection {
  private socket: WebSocket | null = null;
  private layout: Layout | null = null;
  private pause = 500; // [ms] before the next try; grows to 5 s

  constructor(private readonly address: string, private readonly listener: Listener) {
    this.connect();
  }

  send(what: string, more: Record<string, unknown> = {}): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ do: what, ...more }));
  }

  retry(): void {
    if (this.socket?.readyState === WebSocket.CLOSED) this.connect();
  }

  private connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.pause = 500;
      this.send("window", { frames: 2 });
      this.listener.connected(true);
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.receive(event.data);
    socket.onclose = () => {
      this.listener.connected(false);
      setTimeout(() => this.retry(), this.pause);
      this.pause = Math.min(5000, 1.5 * this.pause);
    };
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data === "string") {
      this.listener.text(JSON.parse(data) as TextMessage);
    } else if (isLayout(data)) {
      this.layout = decodeLayout(data);
      this.listener.layout(this.layout);
    } else if (this.layout) {
      const frame = decodeFrame(data, this.layout);
      if (frame) this.listener.frame(frame);
    }
  }
}

// the page's own server, or ?server=127.0.0.1:8017 while the page itself is worked on
export function serverAddress(): string {
  const other = new URLSearchParams(location.search).get("server");
  return `ws://${other ?? location.host}/live`;
}
