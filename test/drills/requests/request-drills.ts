import type { Drill } from '../drill.ts';
import { REQUEST_FAULTS, type RequestFault, runRequestFault } from './faults.ts';

/** Every request must come to exactly one answer, or to a sentence: none lost, none twice. */
export const REQUEST_DRILLS: readonly Drill[] = REQUEST_FAULTS.map(asDrill);

function asDrill(fault: RequestFault): Drill {
  const { name, about, setting, maxMs, isLong } = fault;
  return {
    name,
    about: `${about} (${setting})`,
    ...(maxMs !== undefined && { maxMs }),
    ...(isLong !== undefined && { isLong }),
    async run(say) {
      const { faces, problems } = await runRequestFault(fault, 1);
      for (const { face, asked, answered, unsure, regretted, refused, lost, twice } of faces)
        say(
          `${face.padEnd(8)} asked ${asked}: answered ${answered}, and maybe more ${unsure}, regretted ${regretted}, refused by Discord ${refused}, lost ${lost}, twice ${twice}`,
        );
      for (const problem of problems.slice(0, 5)) say(problem);
      return problems.length === 0 && faces.every(({ lost, twice }) => lost === 0 && twice === 0);
    },
  };
}
