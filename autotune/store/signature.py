"""Ed25519 signatures of exports. The package cryptography is an extra, imported on use.

Keys are PEM files: `openssl genpkey -algorithm ed25519 -out KEY` makes one, `openssl pkey -in KEY
-pubout` prints the public one.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING

from autotune.errors import UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

MAX_KEY_BYTES = 2**16


def sign(key_file: str, message: bytes) -> str:
    """The signature of a message by the private key in a file, in base64.

    Raises:
        UsageError: the file holds no such key, or the package is not installed.
    """
    return base64.b64encode(_private_key(key_file).sign(message)).decode("ascii")


def is_signed(key_file: str, message: bytes, signature: str) -> bool:
    """Whether the owner of the public key in a file signed the message.

    Raises:
        UsageError: the file holds no such key, or the package is not installed.
    """
    key = _public_key(key_file)
    from cryptography.exceptions import InvalidSignature

    try:
        key.verify(base64.b64decode(signature, validate=True), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _private_key(key_file: str) -> Ed25519PrivateKey:
    content = _read(key_file)
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(content, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise _refused(key_file, "private") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise _refused(key_file, "private")
    return key


def _public_key(key_file: str) -> Ed25519PublicKey:
    content = _read(key_file)
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise _refused(key_file, "public") from error
    if not isinstance(key, Ed25519PublicKey):
        raise _refused(key_file, "public")
    return key


def _read(key_file: str) -> bytes:
    try:
        import cryptography  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"signatures need the package cryptography, which cannot be imported ({error}); pip "
            f"install 'autotune-kernels[sign]' brings it"
        ) from error
    try:
        path = Path(key_file)
        if not path.is_file():
            raise UsageError(f"key {key_file!r} is no file; allowed: a PEM file")
        with path.open("rb") as file:
            return file.read(MAX_KEY_BYTES)
    except (OSError, ValueError) as error:
        raise UsageError(f"key {key_file!r} cannot be read: {error}") from error


def _refused(key_file: str, kind: str) -> UsageError:
    return UsageError(
        f"key {key_file!r} is not an Ed25519 {kind} key without a password; allowed: a PEM file as "
        f"openssl writes it"
    )
