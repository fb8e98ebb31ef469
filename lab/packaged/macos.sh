#!/usr/bin/env bash
# Starts the packaged program on macOS and clicks through with System Events.
#
#   lab/packaged/macos.sh dist/Soulpet.app shots/packaged
#
# Whoever runs it needs the permissions Accessibility and Screen Recording; hosted runners have them. Every step is
# printed; pictures and the program's log go to the second argument. Ends with 1 if the pet did not come, its chat did not
# open, or a typed message was not on the disk.
set -euo pipefail
app=${1:?the application} shots=${2:-shots/packaged}
said="Good morning from the packaged program"
patience=60
work=$(mktemp -d)
home=$work/home
mkdir -p "$shots" "$home/config" "$home/state"
printf 'demo = true\nlanguage = "en"\n' >"$home/config/settings.toml"
printf '{"welcome": 0}' >"$home/state/state.json"

"$app/Contents/MacOS/soulpet" --home "$home" >"$shots/stdout.txt" 2>"$shots/stderr.txt" &
pet=$!

finish() {
    code=$?
    [ "$code" = 0 ] || { echo "FAILED"; picture failed; windows || true; }
    kill "$pet" 2>/dev/null || true
    cp -R "$home/log" "$shots/" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

picture() { screencapture -x "$shots/$1.png" || echo "no picture: screencapture failed"; }

events() { # one statement for System Events, told to our process
    osascript -e "tell application \"System Events\" to tell (first process whose unix id is $pet)" -e "$1" -e "end tell"
}

windows() { events 'get {name, position, size} of windows'; }

wait_for() { # what, then a command that succeeds once it is there
    local what=$1 end=$((SECONDS + patience))
    shift
    until "$@" >/dev/null 2>&1; do
        kill -0 "$pet" 2>/dev/null || { echo "it ended while waiting for $what"; exit 1; }
        ((SECONDS < end)) || { echo "not seen within $patience s: $what"; exit 1; }
        sleep 0.3
    done
    echo "ok: $what"
}

has_window() { events "get first window whose name $1"; }

double_click() { # the middle of the pet; Core Graphics, since System Events has no double-click
    local place
    place=$(events 'get {position, size} of (first window whose name is "Soulpet")') || return 1
    osascript -l JavaScript - "$place" <<'JXA'
ObjC.import("CoreGraphics");
function run(argv) {
  const [x, y, w, h] = argv[0].split(",").map(Number);
  const at = $.CGPointMake(x + w / 2, y + h / 2);
  for (const count of [1, 2])
    for (const kind of [$.kCGEventLeftMouseDown, $.kCGEventLeftMouseUp]) {
      const event = $.CGEventCreateMouseEvent($(), kind, at, $.kCGMouseButtonLeft);
      $.CGEventSetIntegerValueField(event, $.kCGMouseEventClickState, count);
      $.CGEventPost($.kCGHIDEventTap, event);
    }
}
JXA
}

chat_after_double_click() {
    double_click || return 1
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        has_window 'ends with "Soulpet chat"' && return 0
        sleep 0.3
    done
    return 1
}

began=$SECONDS
wait_for "the pet on the screen" has_window 'is "Soulpet"'
echo "after $((SECONDS - began)) s"
sleep 2 # for the picture: the window is there before its first frame
picture 1-pet

wait_for "the chat after a double-click" chat_after_double_click
picture 2-chat
events 'set frontmost to true'
sleep 3 # System Events can't see when the page is ready for keys
osascript -e "tell application \"System Events\" to keystroke \"$said\"" -e 'tell application "System Events" to key code 36'
wait_for "the typed message on the disk" grep -rqF "$said" --include='*.jsonl' "$home/data/pets"
sleep 2 # for the picture: the reply of the demo comes in
picture 3-said

"$app/Contents/MacOS/soulpet" --home "$home"
echo "ok: a second start brings the first one forward and ends"
picture 4-second
kill -0 "$pet"
