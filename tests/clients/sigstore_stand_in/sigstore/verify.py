"""The verifier."""

import base64
import re
from types import SimpleNamespace

_EXTENSION = re.compile(rb"\x06\x0a\x2b\x06\x01\x04\x01\x83\xbf\x30\x01(.)\x04(.)", re.DOTALL)


class Verifier:
    def __init__(self, *, trusted_root):
        pass

    @classmethod
    def production(cls):
        raise OSError("no network")

    def verify_dsse(self, bundle, policy):
        der = base64.b64decode(bundle["verificationMaterial"]["certificate"]["rawBytes"])
        extensions = []
        for found in _EXTENSION.finditer(der):
            start, length = found.end(), found[2][0]
            if length > 0x80:
                start, length = start + length - 0x80, int.from_bytes(der[start : start + length - 0x80], "big")
            oid = SimpleNamespace(dotted_string=f"1.3.6.1.4.1.57264.1.{found[1][0]}")
            extensions.append(SimpleNamespace(oid=oid, value=SimpleNamespace(value=der[start : start + length])))
        policy.verify(SimpleNamespace(extensions=extensions))
        envelope = bundle["dsseEnvelope"]
        if len(base64.b64decode(envelope["signatures"][0]["sig"])) == 2:
            raise ValueError("signature mismatch")
        return envelope["payloadType"], base64.b64decode(envelope["payload"])
