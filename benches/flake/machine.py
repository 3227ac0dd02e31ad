"""The machine and the versions of everything that takes part, for reports."""

import datetime
import json
import os
import pathlib
import platform
import subprocess


def first_line(path, start):
    for line in open(path):
        if line.startswith(start):
            return line.split(":", 1)[1].strip()
    return None


def machine():
    memory = int(first_line("/proc/meminfo", "MemTotal").split()[0]) // 1024
    return {"cores": os.cpu_count(), "cpu": first_line("/proc/cpuinfo", "model name"), "memory_mib": memory,
            "system": platform.platform(), "load": [round(n, 2) for n in os.getloadavg()], "date": datetime.date.today().isoformat()}


def said(*command):
    try:
        told = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return told.stdout.strip() or None


def python_package(python, name):
    return said(python, "-c", f"import importlib.metadata as m; print(m.version('{name}'))")


def versions(stillpoint, peers):
    peers = pathlib.Path(peers)
    found = {"stillpoint": said(stillpoint, "--version"), "chromium": said("/usr/bin/chromium-headless-shell", "--version") or said("/usr/bin/chromium", "--version"),
             "chromedriver": said("/usr/bin/chromedriver", "--version"), "node": said("node", "--version"),
             "xa11y": python_package(peers / "desktop/bin/python", "xa11y"), "dogtail": python_package(peers / "desktop/bin/python", "dogtail")}
    for package in ("python3-pyatspi", "at-spi2-core", "libgtk-3-0"):
        found[package] = said("dpkg-query", "-W", "-f=${Version}", package)
    for package in ("@playwright/mcp", "chrome-devtools-mcp", "playwright-core", "selenium-webdriver", "gpt-tokenizer"):
        manifest = peers / "web/node_modules" / package / "package.json"
        if manifest.exists():
            found[package] = json.loads(manifest.read_text())["version"]
    return found
