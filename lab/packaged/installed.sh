#!/usr/bin/env bash
# The Debian package on an empty machine: lab/packaged/installed.sh SUITE FOLDER PACKAGE [OLDER_PACKAGE]
#
# Makes a root of that release in FOLDER with debootstrap, installs the package there with apt, runs it as an ordinary
# user and clicks through it, upgrades it, removes it, and looks whether the owner's files are as they were. Run it as
# root, once for each release; results stand in docs/results.md. Without OLDER_PACKAGE the upgrade is from the same
# content with a lower version. A root that is there already is used again. Ubuntu, from Debian: see empty_machine.sh.
set -euo pipefail
suite=${1:?which release, as debootstrap names it}
root=$(realpath -m "${2:?an empty folder for the new root}")
package=$(realpath "${3:?a .deb}")
older=$(realpath "${4:-$3}")
user=anna
here=$(cd "$(dirname "$0")/../.." && pwd)

say() { printf '\n=== %s: %s\n' "$suite" "$*"; }
inside() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
as_user() {
    chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin LANG=C.UTF-8 \
        setpriv --reuid="$user" --regid="$user" --init-groups env HOME="/home/$user" "$@"
}
install() { inside apt-get install -y -q --no-install-recommends "$1" >>"$root.apt.log" 2>&1 || { tail -20 "$root.apt.log"; exit 1; }; }
owned() { (cd "$root/home/$user" && find . -type f ! -path './.cache/*' ! -name '*.log' -print0 | sort -z | xargs -0 sha256sum); }
leave() { umount -l "$root/tmp" "$root/dev/shm" "$root/dev" "$root/proc" 2>/dev/null || true; }
trap leave EXIT

if [ ! -x "$root/usr/bin/apt-get" ]; then
    say "an empty root"
    debootstrap --variant=minbase ${OPTIONS:-} "$suite" "$root" ${MIRROR:-} ${SCRIPT:-} >"$root.debootstrap.log" 2>&1 || { tail "$root.debootstrap.log"; exit 1; }
fi
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mountpoint -q "$root/dev/shm" || mount -t tmpfs tmpfs "$root/dev/shm"
mount --bind /tmp "$root/tmp" # the display's socket, and the folder of the click-through
cp /etc/resolv.conf "$root/etc/resolv.conf"
inside apt-get update -q >"$root.apt.log" 2>&1
[ -s "$root/etc/machine-id" ] || tr -d - </proc/sys/kernel/random/uuid >"$root/etc/machine-id" # every computer has one
inside id "$user" >/dev/null 2>&1 || inside useradd --create-home "$user"

say "the older package, as version 0.0.1"
work=$(mktemp -d)
(
    cd "$work"
    ar x "$older"
    tar -xf control.tar.xz
    sed -i 's/^Version: .*/Version: 0.0.1/' control
    tar -cJf control.tar.xz ./control
    ar rc "$root/root/older.deb" debian-binary control.tar.xz data.tar*
)
rm -r "$work"
before=$(df --output=used -m "$root" | tail -1)
started=$(date +%s)
install /root/older.deb
say "installed in $(($(date +%s) - started)) s: $(inside dpkg-query -W soulpet), $(inside dpkg-query -W | wc -l) packages"

say "the owner's files"
as_user soulpet --version
as_user mkdir -p "/home/$user/.config/soulpet"
as_user sh -c 'printf "demo = true\nlanguage = \"en\"\n" >~/.config/soulpet/settings.toml'
as_user soulpet chat --once "Good morning, I am Anna"
as_user soulpet doctor || echo "doctor ended with $?"
owned >"$root.before"

say "the upgrade"
cp "$package" "$root/root/soulpet.deb"
install /root/soulpet.deb
inside dpkg-query -W soulpet
inside dpkg --verify soulpet
owned | diff "$root.before" - && echo "not a byte of $(wc -l <"$root.before") files changed"
echo "$(stat -c %s "$package") bytes; installed $(du -sm "$root/opt/soulpet" | cut -f1) MB"
as_user soulpet --version
as_user soulpet doctor || echo "doctor ended with $?"
as_user soulpet chat --once "Do you remember me?"
missing=$(inside sh -c 'find /opt/soulpet -name "*.so*" -type f -exec env LD_LIBRARY_PATH=/opt/soulpet/_internal:/opt/soulpet/_internal/PySide6:/opt/soulpet/_internal/PySide6/Qt/lib ldd {} + 2>/dev/null | grep "not found" | sort | uniq -c') || true
echo "libraries that are missing: ${missing:-none}"

say "clicked through on a display"
wrapper=$(mktemp)
cat >"$wrapper" <<END
#!/bin/sh
exec chroot "$root" /usr/bin/env soulpet "\$@"
END
chmod 755 "$wrapper"
(cd "$here" && PET_ALLOW_ROOT=1 python3 -m lab.packaged.linux "$wrapper") || echo "ended with $?"
rm "$wrapper"

say "removed"
owned >"$root.before"
inside apt-get purge -y -q soulpet >>"$root.apt.log" 2>&1
owned | diff "$root.before" - && echo "not a byte of $(wc -l <"$root.before") files changed"
left=$(find "$root/opt" "$root/usr" "$root/etc" -iname '*soulpet*' 2>/dev/null) || true
echo "left behind: ${left:-nothing}"
echo "disk: $before MB in use before, $(df --output=used -m "$root" | tail -1) MB after"
