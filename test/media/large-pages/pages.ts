/** Pages of many megabytes: as the sites send them, and as a site would that means harm. */

const MEGABYTE = 1024 * 1024;

function script(json: string): string {
  return `<script type="application/json" data-sjs>${json}</script>`;
}

/** Modules and flags, which is what most of a page's scripts are about. */
function moduleJson(bytes: number, seed: number): string {
  const modules: string[] = [];
  for (let length = 0, at = seed; length < bytes; at += 7_919) {
    const entry = `["CometModule${at}","handle",[],[{"__rc":["Part${at % 997}.react",null],"id":${at},"flags":{"a":true,"b":null,"c":${at % 9}},"hash":"${(at * 31).toString(36)}"}]]`;
    modules.push(entry);
    length += entry.length + 1;
  }
  return `{"require":[${modules.join(',')}]}`;
}

/** The fixture's page with `megabytes` around its post, a part of them in the same script as an object that names the post. */
export function ordinaryPage(fixture: string, named: string, megabytes: number): string {
  const scripts = [script(moduleJson(megabytes * 0.4 * MEGABYTE, 1).replace('{', `{"about":{"x":"${named}"},`))];
  for (let left = megabytes * 0.6 * MEGABYTE, seed = 2; left > 0; left -= 60_000, seed += 1) {
    scripts.push(script(moduleJson(60_000, seed)));
  }
  return fixture.replace('<body>', () => `<body>${scripts.join('\n')}`);
}

const HOSTILE_STORY = (at: number, id: string) =>
  `{"id":"UzpfSTYxNTUwMDAwMDAwMDAyOlZLOjcwMDEwMDIwMDMwMDQ5OQ==","post_id":"9${at}","url":"https://www.facebook.com/x/posts/${id}${at}","attachments":[{"media":{"id":"8${at}","__typename":"Video","browser_native_hd_url":"https://video.xx.fbcdn.net/v${at}.mp4"}}],"message":{"text":"${at}"}}`;

export type Hostility = 'stories of others' | 'copies of the story' | 'nested stories' | 'many objects' | 'manifests';

/** A page of one script that names the post, made to cost as much as it can. */
export function hostilePage(kind: Hostility, id: string, megabytes: number): string {
  const bytes = Math.floor(megabytes * MEGABYTE);
  const many = (piece: (at: number) => string) => {
    const pieces: string[] = [];
    for (let length = 0, at = 0; length < bytes; at += 1) {
      const next = piece(at);
      pieces.push(next);
      length += next.length + 1;
    }
    return script(`{"named":"${id}","list":[${pieces.join(',')}]}`);
  };
  switch (kind) {
    case 'stories of others':
      return many(at => HOSTILE_STORY(at, id));
    case 'copies of the story':
      return many(at => HOSTILE_STORY(at, id).replace(`"post_id":"9${at}"`, `"post_id":"${id}"`));
    case 'nested stories': {
      const open = `{"post_id":"${id}","attachments":[{"media":{"id":"${id}"},"inner":[`;
      const close = ']}]}';
      const nest = `${open.repeat(50)}0${close.repeat(50)}`;
      return many(() => nest);
    }
    case 'many objects':
      return many(at => `{"id":${at}},{},[]`);
    case 'manifests': {
      const track = '<Representation width=\\"1\\"><BaseURL>https://a.fbcdn.net/a</BaseURL></Representation>';
      return many(() => `{"id":"${id}","__typename":"Video","dash_manifest":"<MPD>${track.repeat(2_000)}</MPD>"}`);
    }
  }
}
