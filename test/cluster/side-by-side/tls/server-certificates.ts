/** Certificates of servers: their chains, their keys and signatures, what they may be used for. */
import type { Certificate } from '../../../harness/certificates.ts';
import { type Cell, type Cells, trusting, type World } from '../cell.ts';

export function serverCertificates({ made }: World): Cells {
  const shows = (...chain: Certificate[]): Cell => ({ server: { chain } });
  const trusts = (authority: Certificate, cell: Cell): Cell => ({ ...cell, cluster: trusting(authority) });
  const untrusted = (cell: Cell): Cell => ({ ...cell, says: /signed by an authority that is not trusted/ });
  return {
    accepted: {
      'signed by the authority': {},
      'with SHA-384': shows(made.sha384),
      'with a key of RSA 1024': shows(made.rsa1024),
      'with a key of RSA 2048': shows(made.rsa2048),
      'with a key on P-384': shows(made.p384),
      'with a key on P-521': shows(made.p521),
      'with a key of Ed25519': shows(made.ed25519),
      'with a serial number of 0': shows(made.zero),
      'without a subject': shows(made.noSubject),
      'for servers by its extended key usage': shows(made.serverUse),
      'signed by itself, and trusted': trusts(made.alone, shows(made.alone)),
      'signed by itself without any constraint, and trusted': trusts(made.aloneBare, shows(made.aloneBare)),
      'trusted itself, not its authority': trusts(made.good, {}),
      'signed by an intermediate that is sent': shows(made.viaIntermediate, made.intermediate),
      'sent with its whole chain': shows(made.viaIntermediate, made.intermediate, made.root),
      'sent with its chain in another order': shows(made.viaIntermediate, made.root, made.intermediate),
      'sent with a certificate that has nothing to do with it': shows(
        made.viaIntermediate,
        made.other,
        made.intermediate,
      ),
      'signed by an intermediate in the file of authorities': {
        ...shows(made.viaIntermediate),
        cluster: trusting(made.root, made.intermediate),
      },
      'signed by an intermediate that alone is trusted': trusts(
        made.intermediate,
        shows(made.viaIntermediate),
      ),
      'sent with the intermediate that alone is trusted': trusts(
        made.intermediate,
        shows(made.viaIntermediate, made.intermediate),
      ),
      'signed by a trusted intermediate that is signed with SHA-1': trusts(
        made.sha1Intermediate,
        shows(made.viaSha1),
      ),
      'signed by an authority that is signed with SHA-1': trusts(made.sha1Root, shows(made.ofSha1Root)),
      'signed by an authority of RSA 1024': trusts(made.weakRoot, shows(made.ofWeakRoot)),
      'signed by an intermediate of RSA 1024': shows(made.viaWeak, made.weakIntermediate),
      'signed by an authority without any extension': trusts(made.bareRoot, shows(made.ofBareRoot)),
      'signed by an authority that allows no intermediate': trusts(made.shortRoot, shows(made.ofShortRoot)),
      'with a name and an address that its authority may sign for': trusts(
        made.allowsAddress,
        shows(made.ofAllows),
      ),
    },
    refused: {
      expired: { ...shows(made.late), says: /certificate has expired/ },
      'not valid yet': { ...shows(made.early), says: /not valid yet/ },
      'signed with SHA-1': { ...shows(made.sha1), says: /signed with SHA-1/ },
      'with a key of RSA 512': { ...shows(made.rsa512), says: /shares no cipher or kind of key/ },
      'with a key on P-224': { ...shows(made.p224), says: /shares no cipher or kind of key/ },
      'with a key on secp256k1': { ...shows(made.secp256k1), says: /shares no cipher or kind of key/ },
      'with a key of Ed448': { ...shows(made.ed448), says: /shares no cipher or kind of key/ },
      'for clients alone': { ...shows(made.clientOnly), says: /key usage/ },
      'for code alone': { ...shows(made.codeUse), says: /key usage/ },
      'with a critical extension that nobody knows': {
        ...shows(made.unknownCritical),
        says: /critical extension/,
      },
      'with a negative serial number': { ...shows(made.negative), says: /negative serial number/ },
      'signed by itself': untrusted(shows(made.alone)),
      'an authority of its own': shows(made.aloneCa),
      'signed by itself and trusted, but expired': {
        ...trusts(made.aloneLate, shows(made.aloneLate)),
        says: /has expired/,
      },
      'signed by another authority': untrusted(shows(made.strange)),
      'signed by an intermediate that is not sent': untrusted(shows(made.viaIntermediate)),
      'signed by an intermediate with SHA-1': {
        ...shows(made.viaSha1, made.sha1Intermediate),
        says: /signed with SHA-1/,
      },
      'signed by an intermediate that has expired': {
        ...shows(made.viaLate, made.lateIntermediate),
        says: /has expired/,
      },
      'signed by a trusted intermediate that has expired': {
        ...trusts(made.lateIntermediate, shows(made.viaLate)),
        says: /has expired/,
      },
      'signed by a certificate that is no authority': {
        ...shows(made.viaPlain, made.plainIntermediate),
        says: /key usage|may not sign certificates/,
      },
      'signed by a trusted certificate that is no authority': trusts(
        made.plainIntermediate,
        shows(made.viaPlain),
      ),
      'signed by an intermediate for clients': {
        ...shows(made.viaClient, made.clientIntermediate),
        says: /key usage/,
      },
      'signed by an authority that has expired': {
        ...trusts(made.lateRoot, shows(made.ofLateRoot)),
        says: /has expired/,
      },
      'signed by a root that is no authority': trusts(made.plainRoot, shows(made.ofPlainRoot)),
      'signed by an authority that may not sign': trusts(made.noSignRoot, shows(made.ofNoSignRoot)),
      'signed by an intermediate that its authority does not allow': trusts(
        made.shortRoot,
        shows(made.ofBelowShort, made.belowShort),
      ),
      'with an address that its authority may not sign for': {
        ...trusts(made.otherAddress, shows(made.ofOtherAddress)),
        says: /may not sign for/,
      },
      'with an address that its authority is forbidden to sign for': {
        ...trusts(made.excludesAddress, shows(made.ofExcludes)),
        says: /may not sign for/,
      },
    },
    // OpenSSL goes by the key usage of a server's certificate, which Go passes over, and knows no "any".
    stricter: {
      'for any use by its extended key usage': { ...shows(made.anyUse), says: /key usage/ },
      'for signing certificates by its key usage': { ...shows(made.signUse), says: /key usage/ },
      'an authority of its own, and trusted': {
        ...trusts(made.aloneCa, shows(made.aloneCa)),
        says: /key usage/,
      },
    },
  };
}
