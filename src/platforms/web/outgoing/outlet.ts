import type { WebSocket } from '@fastify/websocket';
import type { ServerMessage } from '../page/base/protocol.ts';

/** Takes the frames to one page. It never throws: a page that has gone takes nothing more. */
export interface Outlet {
  send(frame: ServerMessage): void;
  /** Sends a frame that is serialised already. */
  sendText(frame: string): void;
}

/**
 * Hands frames to the socket at once. A page that reads slower than it is written to is let go when `maxBufferedBytes` wait for it, and gets
 * the frames that it missed when it connects again.
 */
export function createOutlet(socket: WebSocket, maxBufferedBytes: number): Outlet {
  function sendText(frame: string): void {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount + frame.length > maxBufferedBytes) socket.terminate();
    else socket.send(frame);
  }
  return { sendText, send: frame => sendText(JSON.stringify(frame)) };
}
