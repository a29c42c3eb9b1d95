import { mkdtemp } from 'node:fs/promises';
import { openStore } from '../../src/infra/store/store.ts';
import { createLibraryPlayer, createLibraryWorld } from './library-world.ts';
import { openCatalogue } from './recommend-measure.ts';
import { measureHits } from './recommend-hits.ts';
const SETS=Number(process.argv[2]??300);
for (const r of (process.argv[3]??'osu,taiko,fruits,mania').split(',') as any[]) {
  let t=performance.now();
  const world=createLibraryWorld(r,SETS); const tw=performance.now()-t; t=performance.now();
  const store=openStore(`${await mkdtemp('/tmp/zz-')}/a.db`);
  const catalogue=openCatalogue(world.sets,store); const tc=performance.now()-t; 
  for (const plays of [12,100]) { t=performance.now();
    const players=Array.from({length:6},(_,i)=>createLibraryPlayer(world,i+1+plays,{plays,level:(i+.5)/6})); const tp=performance.now()-t;
    for (const withFiles of [true,false]) {
    const h=await measureHits({world,catalogue,store,players,withFiles});
    console.log(r,plays,withFiles,'world',tw|0,'cat',tc|0,'players',tp|0,players.map(p=>p.best.length+':'+(p.totalPp|0)).join(' '),'hits',h.hits,'/',h.picks,(100*h.hits/h.picks).toFixed(1),'short',h.short,'first',h.firstMs.map(x=>(x/1000).toFixed(1)).join(' '),'repeat',h.repeatMs.map(x=>(x/1000).toFixed(1)).join(' '),'distinct',h.maps.size);
  }}
}
