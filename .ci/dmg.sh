#!/usr/bin/env bash
# Makes dist/soulpet-VERSION-ARCH.dmg from dist/Soulpet.app, on macOS.
#
# Signed if SIGN_IDENTITY names a "Developer ID Application" certificate in the keychain, and notarised if NOTARY_PROFILE
# names credentials that `xcrun notarytool store-credentials` stored. Without them the image says at its first
# opening that its developer is not known.
set -euo pipefail
cd "$(dirname "$0")/.."
app=dist/Soulpet.app
[ -d "$app" ] || { echo "$app is not there: build it with .ci/package first" >&2; exit 1; }
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' pet/__init__.py)
image=dist/soulpet-$version-$(uname -m).dmg

if [ -n "${SIGN_IDENTITY:-}" ]; then
    codesign --force --deep --options runtime --timestamp --entitlements .ci/macos.entitlements --sign "$SIGN_IDENTITY" "$app"
    codesign --verify --deep --strict "$app"
else
    echo "not signed: SIGN_IDENTITY is empty"
fi

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
ditto "$app" "$stage/Soulpet.app"
ln -s /Applications "$stage/Applications"
cp LICENSE "$stage/"
rm -f "$image"
hdiutil create -volname Soulpet -srcfolder "$stage" -format UDZO -ov "$image"

if [ -n "${SIGN_IDENTITY:-}" ]; then
    codesign --force --timestamp --sign "$SIGN_IDENTITY" "$image"
    if [ -n "${NOTARY_PROFILE:-}" ]; then
        xcrun notarytool submit "$image" --keychain-profile "$NOTARY_PROFILE" ${NOTARY_KEYCHAIN:+--keychain "$NOTARY_KEYCHAIN"} --wait
        xcrun stapler staple "$image"
    fi
fi
echo "$image"
