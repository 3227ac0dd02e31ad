"""A client of the Model Context Protocol over standard input and output, as small as a bench needs it."""

import json
import subprocess


class Refused(Exception):
    """What the server answered with `isError`."""


class McpClient:
    def __init__(self, *command, env=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env)
        self.last = 0
        # What crossed the pipe for tools, both ways.
        self.calls, self.bytes_out, self.bytes_in = 0, 0, 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "stillpoint-lab", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the server ended")
            message = json.loads(line)
            if message.get("id") == self.last:
                if "error" in message:
                    raise RuntimeError(message["error"])
                return message["result"]

    def call(self, tool, **given):
        """The answer's text and its structured form."""
        answer = self.ask("tools/call", {"name": tool, "arguments": given})
        text = "\n".join(part.get("text", "") for part in answer.get("content", []))
        if answer.get("isError"):
            raise Refused(text)
        return text, answer.get("structuredContent") or {}

    def close(self):
        self.process.stdin.close()
        self.process.wait()
