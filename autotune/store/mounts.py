"""Which file systems several machines may share, from what Linux tells of its mounts.

SQLite's write-ahead log needs memory that all users of a database share, which no network offers:
a cache on such a file system does without it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")

_NETWORKED = re.compile(
    r"(nfs|cifs|smb|9p|afs|ceph|gfs2|glusterfs|gpfs|lustre|beegfs|ocfs2|orangefs|pvfs2|ncp|coda"
    r"|virtiofs|vboxsf|prl_fs|vmhgfs|fuse(?!blk|ctl|\.fuse-overlayfs))"
)
"""Also what a virtual machine shares with its host, and FUSE, behind which anything may lie (but
for local disks and the layers of containers)."""
_OCTAL = re.compile(rb"\\([0-7]{3})")


def networked(path: str) -> str:
    """The kind of network file system that `path` lies or will lie on; empty for any other."""
    try:
        mounts = MOUNTS.read_bytes()
    except OSError:
        return ""
    kind = filesystem_of(path, mounts)
    return kind if _NETWORKED.match(kind) else ""


def filesystem_of(path: str, mounts: bytes) -> str:
    """The type of the file system that holds a path; empty where the text does not say.

    Args:
        path: it need not exist.
        mounts: the content of /proc/self/mountinfo.
    """
    real = os.fsencode(os.path.realpath(path))
    best, kind = -1, ""
    for line in mounts.splitlines():
        fields, _, rest = line.partition(b" - ")
        columns, types = fields.split(b" "), rest.split(b" ")
        if len(columns) < 5 or not types[0]:
            continue
        point = _OCTAL.sub(lambda found: bytes([int(found[1], 8)]), columns[4]).rstrip(b"/")
        # Of mounts on the same point the last one covers the others.
        if len(point) >= best and (real + b"/").startswith(point + b"/"):
            best, kind = len(point), types[0].decode("utf-8", "replace")
    return kind
