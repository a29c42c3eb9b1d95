import type { WebSocket } from '@fastify/websocket';
import type { ServerMessage } from '../page/base/protocol.ts';

/** Where frames to one page go. Nothing throws: a page that has gone takes nothing more. */
export interface Outlet {
  send(frame: ServerMessage): void;
  /** A frame that is serialised already. */
  sendText(frame: string): void;
}

/**
 * Frames are handed to the socket at once; a page that reads slower than it is written to is let go when
 * `maxBufferedBytes` wait for it, and gets what it missed when it connects again.
 */
export function createOutlet(socket: WebSocket, maxBufferedBytes: number): Outlet {
  function sendText(frame: string): void {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount + frame.length > maxBufferedBytes) {
      socket.terminate();
      return;
    }
    socket.send(frame);
  }
  return { sendText, send: frame => sendText(JSON.stringify(frame)) };
}
