/** DASH manifests as both sites write them: whole files by `BaseURL`, one track each. */
import type { MediaAddresses } from './address.ts';
import { escapeHtml } from './answer.ts';
import type { Clip, MediaFile } from './media.ts';

export interface ManifestOptions {
  readonly addresses: MediaAddresses;
  readonly files: ReadonlyMap<string, MediaFile>;
  readonly host?: string;
}

/** Null for clips that come as a whole only. */
export function dashManifest(clip: Clip, { addresses, files, host }: ManifestOptions): string | null {
  if (clip.dash === null) return null;
  const { video, audio, width, height } = clip.dash;
  const seconds = clip.durationMs / 1000;
  const sizeOf = (name: string) => files.get(name)?.body.length ?? 0;
  const rate = (name: string) => Math.round((sizeOf(name) * 8) / seconds);
  const url = (name: string, encoding: string) => {
    const tag = { vencode_tag: encoding, duration_s: Math.floor(seconds), urlgen_source: 'www' };
    return escapeHtml(addresses.of(name, { tag, ...(host === undefined ? {} : { host }) }));
  };
  const label = Math.min(width, height);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" ',
    `minBufferTime="PT2S" type="static" mediaPresentationDuration="PT${seconds.toFixed(3)}S"><Period id="0" duration="PT${seconds.toFixed(3)}S">`,
    '<AdaptationSet id="0" contentType="video" subsegmentAlignment="true" par="9:16">',
    `<Representation id="110022003300v" bandwidth="${rate(video)}" codecs="avc1.640028" mimeType="video/mp4" sar="1:1" FBContentLength="${sizeOf(video)}" `,
    `width="${width}" height="${height}" frameRate="24" FBQualityClass="hd" FBQualityLabel="${label}p">`,
    `<BaseURL>${url(video, `dash_h264-basic-gen2_${label}p`)}</BaseURL>`,
    '<SegmentBase indexRange="818-873" timescale="12288"><Initialization range="0-817"/></SegmentBase></Representation></AdaptationSet>',
    '<AdaptationSet id="1" contentType="audio" subsegmentStartsWithSAP="1" subsegmentAlignment="true">',
    `<Representation id="440055006600ad" bandwidth="${rate(audio)}" codecs="mp4a.40.2" mimeType="audio/mp4" audioSamplingRate="44100" FBContentLength="${sizeOf(audio)}">`,
    '<AudioChannelConfiguration schemeIdUri="urn:mpeg:dash:23003:3:audio_channel_configuration:2011" value="2"/>',
    `<BaseURL>${url(audio, 'dash_ln_heaac_vbr3_audio')}</BaseURL>`,
    '<SegmentBase indexRange="824-903" timescale="44100"><Initialization range="0-823"/></SegmentBase></Representation></AdaptationSet></Period></MPD>',
  ].join('');
}
