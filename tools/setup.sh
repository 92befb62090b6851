# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What tools/demo, test/run and .ci/run share: installing what is missing, and building.
# Sourced by them, after which they stand in the top folder. Needs Debian 12, and root or sudo if
# something is missing.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf '\nerror: %s\n' "$*" >&2
  exit 1
}

# Reads the options of tools/demo and test/run; $1 is the usage text.
assume_yes=${CI:+yes}
read_options() {
  local usage=$1
  shift
  for option in "$@"; do
    case $option in
      --yes) assume_yes=yes ;;
      --help) printf '%s\n' "$usage"; exit 0 ;;
      *) printf 'unknown option %s\n%s\n' "$option" "$usage" >&2; exit 2 ;;
    esac
  done
}

confirm() {
  [ -n "$assume_yes" ] && return
  [ -t 0 ] || fail "$1: nobody to ask here; say --yes to agree"
  local answer
  read -r -p "$1? [y/N] " answer
  case $answer in
    y | Y | yes) ;;
    *) fail "not installed, so stopping here" ;;
  esac
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing packages needs root, or sudo"
  fi
}

# Runs a command with its output in a log, of which only the end is shown, and only on failure.
logged() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 && return
  tail -n 25 "$log" >&2
  return 1
}

# install_packages PURPOSE...: those of third_party/debian-packages.txt that are not installed.
install_packages() {
  local wanted missing=() package
  wanted=$(awk -v purposes=" $* " '!/^#/ && index(purposes, " " $1 " ") { print $2 }' \
    third_party/debian-packages.txt)
  if ! command -v dpkg-query >/dev/null; then
    say "This is not Debian: going on with what is here. Needed are:" "$(echo "$wanted" | tr "\n" " ")"
    return
  fi
  for package in $wanted; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  if [ ${#missing[@]} = 0 ]; then
    say "Packages: all installed"
    return
  fi
  say "Packages to install: ${missing[*]}"
  confirm "Install them with apt-get"
  logged build/apt-update.log as_root apt-get update || fail "apt-get update failed"
  for package in "${missing[@]}"; do
    apt-cache show "$package" >/dev/null 2>&1 || fail "the package sources lack $package. Debian 12" \
      "has them all; LLVM 22 comes from its suite bookworm-security" \
      "(deb http://security.debian.org/debian-security bookworm-security main)."
  done
  echo "installing (1 to 5 minutes; log in build/apt-install.log)"
  logged build/apt-install.log as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}" || fail "apt-get install failed"
}

# Compilers at a time: one a core, with 2 GB of memory for each.
build_jobs() {
  local gigabytes cores
  gigabytes=$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  cores=$(nproc)
  local jobs=$((gigabytes / 2))
  [ "$jobs" -gt "$cores" ] && jobs=$cores
  [ "$jobs" -lt 1 ] && jobs=1
  echo "$jobs"
}

# configure PRESET TESTS: unless it was done already, with tests (ON) or without (OFF).
configure() {
  local cache=build/$1/CMakeCache.txt
  if [ -e "build/$1/build.ninja" ]; then
    [ "$2" = OFF ] && return
    grep -q '^HLOC_BUILD_TESTS:BOOL=ON' "$cache" && return
  fi
  logged "build/$1-configure.log" cmake --preset "$1" -DHLOC_BUILD_TESTS="$2" ||
    fail "cmake could not configure the build"
}

# build_preset PRESET TESTS [TARGET...]: builds what is out of date, all or only these targets.
build_preset() {
  local preset=$1 tests=$2 jobs
  shift 2
  jobs=$(build_jobs)
  say "Building into build/$preset, $jobs compilers at a time (the first time takes a while)"
  configure "$preset" "$tests"
  local command=(cmake --build --preset "$preset" --parallel "$jobs")
  [ $# = 0 ] || command+=(--target "$@")
  if [ -t 1 ]; then
    "${command[@]}" || fail "the build failed"
    return
  fi
  # Without a terminal: a line for every tenth of the way, and whatever is not ninja's progress.
  "${command[@]}" 2>&1 | awk '
    match($0, /^\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, 2, RLENGTH - 2), at, "/")
      tenth = int(10 * at[1] / at[2])
      if (tenth != last) { print $0; fflush() }
      last = tenth
      next
    }
    { print; fflush() }'
  [ "${PIPESTATUS[0]}" = 0 ] || fail "the build failed"
}
