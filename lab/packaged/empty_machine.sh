#!/usr/bin/env bash
# `make run` on an empty machine: lab/packaged/empty_machine.sh SUITE FOLDER [PET_USER]
#
# Makes a root of that Debian (or Ubuntu) release in FOLDER with debootstrap, puts a clean checkout into it, and runs
# there what the README says: first as root, then as an ordinary user. Run it as root, once for each release; results
# stand in docs/results.md. FILES names files of this machine that the new one needs to reach its package
# indexes (pip's settings, certificates), separated by spaces, and ENVIRONMENT the variables for that. Ubuntu, from Debian:
#   OPTIONS="--components=main,universe --keyring=FILE" MIRROR=http://archive.ubuntu.com/ubuntu \
#   SCRIPT=/usr/share/debootstrap/scripts/jammy lab/packaged/empty_machine.sh noble FOLDER
set -euo pipefail
suite=${1:?which release, as debootstrap names it}
root=${2:?an empty folder for the new root}
user=${3:-anna}
here=$(cd "$(dirname "$0")/../.." && pwd)

say() { printf '\n=== %s: %s\n' "$suite" "$*"; }
inside() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 ${ENVIRONMENT:-} "$@"; }
as_user() {
    chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin LANG=C.UTF-8 ${ENVIRONMENT:-} \
        setpriv --reuid="$user" --regid="$user" --init-groups env HOME="/home/$user" "$@"
}
leave() { umount -l "$root/dev/shm" "$root/dev" "$root/proc" 2>/dev/null || true; }
trap leave EXIT

started=$(date +%s)
elapsed() { echo "$(($(date +%s) - started)) s"; }

say "an empty root"
debootstrap --variant=minbase ${OPTIONS:-} "$suite" "$root" ${MIRROR:-} ${SCRIPT:-} >"$root.debootstrap.log" 2>&1 || { tail "$root.debootstrap.log"; exit 1; }
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
cp /etc/resolv.conf "$root/etc/resolv.conf"
say "made in $(elapsed), $(du -sxm --exclude=proc "$root" | cut -f1) MB"

say "a checkout, and what the README asks for: make and Python"
inside apt-get update -q >/dev/null
inside env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends make python3 ca-certificates >"$root.apt.log" 2>&1
for file in ${FILES:-}; do
    mkdir -p "$root$(dirname "$file")"
    cp -rL "$file" "$root$file"
done
inside useradd --create-home "$user"
for place in /opt/soulpet "/home/$user/soulpet"; do
    mkdir -p "$root$place"
    git -C "$here" archive HEAD | tar -x -C "$root$place"
done
inside chown -R "$user:" "/home/$user"

say "as an ordinary user, before anything is there"
as_user make -C "/home/$user/soulpet" run ARGS=doctor || echo "ended with $?"

say "as root"
started=$(date +%s)
inside make -C /opt/soulpet run ARGS=doctor || echo "ended with $?"
say "as root: set up in $(elapsed)"
started=$(date +%s)
inside make -C /opt/soulpet run || echo "ended with $?"
say "as root: without a display, the second time, in $(elapsed)"

say "as an ordinary user, with the system's packages there"
started=$(date +%s)
as_user make -C "/home/$user/soulpet" run ARGS=doctor || echo "ended with $?"
say "as an ordinary user: set up in $(elapsed)"
as_user make -C "/home/$user/soulpet" run ARGS='chat --once hello' || echo "ended with $?"
say "in all $(du -sxm --exclude=proc "$root" | cut -f1) MB"
