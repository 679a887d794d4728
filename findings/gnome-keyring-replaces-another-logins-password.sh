#!/usr/bin/env bash
# `secret-tool store` with fewer attributes than an item has replaces that item: a password for
# `service mail` takes the place of the one for `service mail user ann`, which is gone, and the
# command ends with 0. By the Secret Service API an item of the same attributes is replaced;
# gnome-keyring takes for it an item that a search for these attributes finds. One would expect a
# second item, as libsecret makes it in the file that sandboxed programs have.
#
# So a Secret Service in front of our daemon, the exercise in docs/Architecture.md, must compare all
# attributes of an item.
# Debian 12: gnome-keyring 42.1-1+b2, libsecret-tools 0.20.5-3, dbus-daemon 1.14.10-1~deb12u1.
set -euo pipefail

folder=$(mktemp -d)
running=()
end() {
    kill "${running[@]}" 2>/dev/null || true
    wait "${running[@]}" 2>/dev/null || true
    rm -rf "$folder"
}
trap end EXIT
mkdir -p "$folder/archives/partial" "$folder/root" "$folder/home/.local/share/keyrings"
mkdir -m 700 "$folder/run"
apt-get -qq -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/archives" \
    install --download-only --reinstall --no-install-recommends -y gnome-keyring=42.1-1+b2 \
    libsecret-tools=0.20.5-3 libsecret-1-0=0.20.5-3 dbus-daemon=1.14.10-1~deb12u1 >/dev/null
for package in "$folder"/archives/*.deb; do dpkg -x "$package" "$folder/root"; done
for name in gnome-keyring libsecret-tools; do
    dpkg-deb -f "$folder"/archives/${name}_*.deb Package Version | tr '\n' ' '
done
echo

export HOME=$folder/home XDG_RUNTIME_DIR=$folder/run
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
export PATH=$folder/root/usr/bin:$PATH
cat >"$folder/bus.conf" <<BUS
<busconfig>
  <type>session</type>
  <listen>unix:path=$folder/run/bus</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
BUS
export DBUS_SESSION_BUS_ADDRESS=unix:path=$folder/run/bus
dbus-daemon --config-file="$folder/bus.conf" --nofork 2>"$folder/log" &
running+=($!)
for _ in {1..100}; do [[ -S $folder/run/bus ]] && break || sleep 0.1; done
echo pw | gnome-keyring-daemon --foreground --unlock --components=secrets >>"$folder/log" 2>&1 &
running+=($!)
for _ in {1..100}; do
    secret-tool search ready yes >/dev/null 2>&1 && break || sleep 0.1
done

# Stores a password for a login, then one for the service alone; prints what is there then.
keep_two() {
    printf one | secret-tool store --label first service mail user ann
    printf two | secret-tool store --label second service mail
    secret-tool search --all --unlock service mail 2>&1 |
        grep -E '^(label|secret|attribute.(service|user)) ' | tr '\n' ';'
}
by_service=$(keep_two)
status=0
secret-tool lookup service mail user ann >/dev/null || status=$?
export SECRET_BACKEND=file
export SECRET_FILE_TEST_PATH=$folder/home/own.keyring SECRET_FILE_TEST_PASSWORD=pw
by_file=$(keep_two)
printf '%s\n' "gnome-keyring: $by_service lookup of ann's ends with $status" \
    "libsecret's own file: $by_file"

[[ $by_service == 'label = second;secret = two;attribute.service = mail;' && $status == 1 ]]
[[ $by_file == *'secret = one;'* && $by_file == *'secret = two;'* ]]
