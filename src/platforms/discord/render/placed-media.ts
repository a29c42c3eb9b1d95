import type { DeliveredLink, Reduction } from '../../../media/delivery/delivery.ts';

/** `refused`: Discord has said that it does not take it, whatever its size. `upload_timeout`: its upload took too long. */
export type LinkReason = DeliveredLink['reason'] | 'refused' | 'upload_timeout';

/** One file of a reply as it stands in the message. */
export type PlacedMedia =
  | {
      readonly kind: 'file';
      /** Of the attachment. */
      readonly name: string;
      readonly mime: string;
      readonly alt: string | null;
      readonly spoiler: boolean;
      readonly reduced?: Reduction | undefined;
      /** Which of how many items of the post, from 1. */
      readonly place: number;
      readonly of: number;
    }
  | {
      readonly kind: 'link';
      readonly url: string;
      readonly leadsTo: DeliveredLink['leadsTo'];
      readonly reason: LinkReason;
      /** Which of how many items of the post, from 1. */
      readonly place: number;
      readonly of: number;
    };
