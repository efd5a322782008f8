#!/usr/bin/env python3
"""Runs statically linked programs on an emulated processor with AVX-512, for machines that have none.

usage: tools/run_on_bochs.py FOLDER PROGRAM...

Bochs boots a Debian kernel from a CD made in FOLDER, whose first process runs the programs one after another; what they
print comes from the serial port.  The kernel is downloaded there by apt-get, once.  A second of this machine takes a minute
or two there.  Exits with 1 unless each program exited with 0.  Packages: tools/setup emulate.
"""
import gzip
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import threading
import time

# Bochs 2.7 tells a wrong size of the registers that XSAVEC stores, and Linux then does without all of them.
KERNEL_OPTIONS = "console=ttyS0 quiet loglevel=3 panic=-1 nokaslr mitigations=off noxsaves clearcpuid=xsaves,xsavec"
INIT = """#!/bin/busybox sh
export PATH=/bin OMP_WAIT_POLICY=passive
busybox mount -t proc proc /proc
busybox mount -t devtmpfs dev /dev
exec >/dev/ttyS0 2>&1
busybox grep -q avx512vl /proc/cpuinfo || {{ echo "Linux finds no AVX-512"; busybox poweroff -f; }}
for program in {names}; do
    echo "== $program"
    $program
    echo "== $program exited with $?"
done
busybox sleep 1
busybox poweroff -f
"""
ISOLINUX = f"default linux\nlabel linux\n kernel linux\n initrd initrd.gz\n append {KERNEL_OPTIONS}\n"
BOCHS = """display_library: term
cpu: model=corei7_skylake_x, ips=100000000, reset_on_triple_fault=0
memory: guest=1024, host=1024
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
ata0-master: type=cdrom, path={folder}/cd.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev={folder}/serial
log: {folder}/bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
"""


def fetch_kernel(folder):
    if not list(folder.glob("kernel/boot/vmlinuz-*")):
        named = subprocess.run(["apt-cache", "depends", "linux-image-amd64"], capture_output=True, text=True, check=True)
        package = re.search(r"Depends: (linux-image-\S+)", named.stdout).group(1)
        subprocess.run(["apt-get", "-q", "download", package], cwd=folder, check=True)
        subprocess.run(["dpkg-deb", "-x", next(folder.glob(f"{package}_*.deb")), folder / "kernel"], check=True)
    return next(folder.glob("kernel/boot/vmlinuz-*"))


def make_disk(folder, programs):
    root, disk = folder / "root", folder / "cd"
    for place in root, disk:
        shutil.rmtree(place, ignore_errors=True)
    for place in disk, root / "bin", root / "proc", root / "dev":
        place.mkdir(parents=True)
    for program in ["/bin/busybox", *programs]:
        shutil.copy(program, root / "bin")
    (root / "init").write_text(INIT.format(names=" ".join(pathlib.Path(program).name for program in programs)))
    (root / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    packed = subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], input=names.encode(), cwd=root, capture_output=True,
                            check=True)
    (disk / "initrd.gz").write_bytes(gzip.compress(packed.stdout, 1))
    shutil.copy(fetch_kernel(folder), disk / "linux")
    for file in "/usr/lib/ISOLINUX/isolinux.bin", "/usr/lib/syslinux/modules/bios/ldlinux.c32":
        shutil.copy(file, disk)
    (disk / "isolinux.cfg").write_text(ISOLINUX)
    subprocess.run(["xorriso", "-as", "mkisofs", "-quiet", "-o", folder / "cd.iso", "-b", "isolinux.bin", "-c", "boot.cat",
                    "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table", disk], check=True)


def drain(terminal):
    """Bochs draws the screen on a terminal, and waits when nobody reads it."""
    try:
        while os.read(terminal, 1 << 16):
            pass
    except OSError:
        pass


def run(folder):
    (folder / "bochsrc").write_text(BOCHS.format(folder=folder))
    (folder / "commands").write_text("c\n")  # Debian's Bochs begins in its debugger: continue
    serial = folder / "serial"
    serial.write_bytes(b"")
    ours, screen = pty.openpty()
    threading.Thread(target=drain, args=(ours,), daemon=True).start()
    bochs = subprocess.Popen(["bochs-bin", "-q", "-f", folder / "bochsrc", "-rc", folder / "commands"], stdin=screen,
                             stdout=screen, stderr=screen, env=dict(os.environ, TERM="vt100"), start_new_session=True)
    shown, ended = 0, False
    while not ended:
        time.sleep(1)
        ended = bochs.poll() is not None
        said = serial.read_text(errors="replace")
        print(said[shown:], end="", flush=True)
        shown = len(said)
    return said


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder, programs = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    make_disk(folder, programs)
    ends = re.findall(r"^== \S+ exited with (\d+)", run(folder), re.M)
    sys.exit(0 if ends == ["0"] * len(programs) else 1)


if __name__ == "__main__":
    main()
