#!/bin/bash
# The one list of system packages (Debian 12). Installs those that are missing and says so first.
#
#   tools/install_deps.sh            install what the build, the tests and the checks need
#   tools/install_deps.sh --bench    also the peers that sinew-bench compares with
#   tools/install_deps.sh --check    install nothing; list each package, exit 1 when one is missing
#
# SINEW_SKIP_DEPS=1 skips everything, for systems where the libraries come from elsewhere.
set -euo pipefail

# one package per line: name, then what it is used for
packages='
g++                 compiler
cmake               build
ninja-build         build
ccache              rebuilds from cached objects
clang               sanitizer and fuzzer builds
libclang-rt-14-dev  their run-time libraries
llvm                llvm-symbolizer: readable sanitizer reports
clang-tidy          static checks
git                 changed files for the static checks
libeigen3-dev       vectors and dense kernels
libsuitesparse-dev  CHOLMOD, the default direct solver
libopenblas-dev     BLAS under CHOLMOD
libtbb-dev          threads
libfmt-dev          text
libcli11-dev        command line
libzstd-dev         recordings
zlib1g-dev          PNG and compressed VTK
libembree-dev       ray-traced pictures
libboost-dev        Boost.Beast: HTTP and WebSocket of the viewer
libgtest-dev        tests
libgmp-dev          exact arithmetic of the judges in the tests
libbenchmark-dev    micro-benchmarks
python3             checks and plots
python3-numpy       reader for recordings
ffmpeg              films as MP4
'
# the viewer's page and its test, without which all else works: what the system does not offer is left out. A Node that is on the PATH
# already, from wherever, stays: Debian's would be older and in its way
page='
chromium            browser test of the viewer
'
command -v node >/dev/null || page+='nodejs              builds the page of the viewer
'
command -v npm >/dev/null || page+='npm                 packages of the page: three.js, uPlot, Vite
'
# benchmarks only, never linked into the library; those the system does not offer are left out
peers='
libbullet-dev       rigid bodies and cloth
libode-dev          rigid bodies
libmujoco-dev       articulated bodies
libfcl-dev          collision detection
'

bench=no check=no
for argument in "$@"; do
    case $argument in
        --bench) bench=yes ;;
        --check) check=yes ;;
        -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "install_deps: unknown argument '$argument' (known: --bench --check --help)" >&2; exit 2 ;;
    esac
done

if [ "${SINEW_SKIP_DEPS:-}" = 1 ]; then
    echo "system packages: not looked at (SINEW_SKIP_DEPS=1)"
    exit 0
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "install_deps: this system has no apt. Sinew's package list is for Debian 12 and its relatives." >&2
    echo "Install the equivalents of these yourself, then run make with SINEW_SKIP_DEPS=1:" >&2
    echo "$packages" | sed '/^$/d; s/^/  /' >&2
    echo "docs/other_systems.md shows Docker and WSL instead." >&2
    exit 1
fi

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=()
look() {  # list of packages; fills missing
    local name purpose
    while read -r name purpose; do
        [ -n "$name" ] || continue
        if installed "$name"; then
            if [ $check = yes ]; then printf '  have     %-20s %s\n' "$name" "$purpose"; fi
        else
            if [ $check = yes ]; then printf '  missing  %-20s %s\n' "$name" "$purpose"; fi
            missing+=("$name")
        fi
    done <<<"$1"
}
look "$packages"
required_missing=${#missing[@]}
look "$page"
if [ $bench = yes ]; then look "$peers"; fi

if [ $check = yes ]; then
    echo "${#missing[@]} missing"
    [ ${#missing[@]} = 0 ]
    exit
fi
if [ ${#missing[@]} = 0 ]; then
    echo "system packages: nothing to install"
    exit 0
fi

echo "system packages to install: ${missing[*]}"
root=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "install_deps: needs root. Run this as root:" >&2
        echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
    root=(sudo)
fi
apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q)
start=$SECONDS
"${apt[@]}" update

# page and peers are optional: drop what this release does not have
wanted=("${missing[@]:0:required_missing}")
for name in "${missing[@]:required_missing}"; do
    if [ -n "$(apt-cache madison "$name" 2>/dev/null)" ]; then
        wanted+=("$name")
    else
        echo "not offered by this system, left out: $name"
    fi
done
if [ ${#wanted[@]} != 0 ]; then
    "${apt[@]}" install -y --no-install-recommends "${wanted[@]}" </dev/null
fi
echo "system packages: ${#wanted[@]} installed in $((SECONDS - start)) s"
