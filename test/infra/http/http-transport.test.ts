import { describe } from 'vitest';
import { httpTransportContract } from '../../contracts/http-transport.ts';
import { createCertificate } from '../../fakes/certificate.ts';
import { serveHttp, serveHttp2 } from '../../fakes/loopback.ts';
import { wreqMissing, wreqNote } from '../../wreq.ts';

const certificate = createCertificate(['localhost']);

httpTransportContract('plain transport', { transport: 'plain', serve: serveHttp });
httpTransportContract('plain transport with TLS', {
  transport: 'plain',
  serve: listener => serveHttp2(certificate, listener),
});

describe.skipIf(wreqMissing)(`without TLS${wreqNote}`, () => {
  httpTransportContract('browser transport', { transport: 'browser', serve: serveHttp });
});

describe.skipIf(wreqMissing)(`with TLS${wreqNote}`, () => {
  httpTransportContract('browser transport and HTTP/2', {
    transport: 'browser',
    serve: listener => serveHttp2(certificate, listener),
  });
});
