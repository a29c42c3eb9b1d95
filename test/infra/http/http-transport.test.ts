import { describe } from 'vitest';
import { httpLimitsContract } from '../../contracts/http-limits.ts';
import { type HttpTransportUnderTest, httpTransportContract } from '../../contracts/http-transport.ts';
import { createCertificate } from '../../fakes/certificate.ts';
import { serveHttp, serveHttp2 } from '../../fakes/loopback.ts';
import { wreqMissing, wreqNote } from '../../wreq.ts';

const certificate = createCertificate(['localhost']);

function check(name: string, under: HttpTransportUnderTest): void {
  httpTransportContract(name, under);
  httpLimitsContract(name, under);
}

check('plain transport', { transport: 'plain', serve: serveHttp });
check('plain transport with TLS', { transport: 'plain', serve: listener => serveHttp2(certificate, listener) });

describe.skipIf(wreqMissing)(`the optional package is there${wreqNote}`, () => {
  check('browser transport without TLS', { transport: 'browser', serve: serveHttp });
  check('browser transport', { transport: 'browser', serve: listener => serveHttp2(certificate, listener) });
});
