"""The wheel holds the command, built by Go for the system that GOOS and GOARCH name."""

import os
import pathlib
import re
import subprocess

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = pathlib.Path(__file__).resolve().parent
CLONE = ROOT.parent
PLATFORMS = {
    ("linux", "amd64"): "manylinux_2_17_x86_64",
    ("linux", "arm64"): "manylinux_2_17_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
}
# Where highsbox has wheels; elsewhere the command works without HiGHS.
BOXED = (
    "platform_machine == 'x86_64' or platform_machine == 'AMD64'"
    " or (sys_platform == 'linux' and platform_machine == 'aarch64')"
    " or (sys_platform == 'darwin' and platform_machine == 'arm64')"
)


def go_env(name):
    return subprocess.run(["go", "env", name], check=True, capture_output=True, text=True).stdout.strip()


class CustomMetadataHook(MetadataHookInterface):
    def update(self, metadata):
        source = (CLONE / "results" / "provenance.go").read_text()
        metadata["version"] = re.search(r'^const Version = "(.*)"', source, re.M)[1]
        metadata["dependencies"] = ["highsbox==1.15.1; " + BOXED]


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        system, processor = go_env("GOOS"), go_env("GOARCH")
        program = "memplan.exe" if system == "windows" else "memplan"
        built = CLONE / "out" / "wheel" / f"{system}-{processor}" / program
        revision = os.environ.get("REVISION") or "unknown"
        flags = f"-s -w -X memplan/results.revision={revision}"
        subprocess.run(["go", "build", "-buildvcs=false", "-trimpath", "-ldflags", flags, "-o", str(built), "./cmd/memplan"],
                       check=True, cwd=CLONE, env={**os.environ, "CGO_ENABLED": "0"})
        build_data["tag"] = f"py3-none-{PLATFORMS[system, processor]}"
        build_data["pure_python"] = False
        build_data["shared_scripts"] = {str(built): program}
