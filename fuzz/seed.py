#!/usr/bin/env python3
"""Turns the protocol's vectors into the first corpus of the fuzz targets (`corpus/`, which is not kept in git)."""

import json
import pathlib

HERE = pathlib.Path(__file__).parent
VECTORS = HERE.parent / "crates" / "wire" / "vectors"

for target, file in (("wire_request", "client_to_server.json"), ("wire_reply", "server_to_client.json")):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    for row in json.loads((VECTORS / file).read_text()):
        # The first byte is the chunk size that the target cuts the stream into.
        (folder / row["name"]).write_bytes(b"\xff" + bytes.fromhex(row["hex"]))
