# Sourced by the scripts of this folder: named, timed steps that go on after a failure, and one verdict.
#   step "what it does" command...   runs the command, prints the time taken, remembers the verdict
#   step_ok                          0 when the last step went well
#   skip "what" "why"                remembers that a step was left out
#   finish_steps                     prints the verdicts; status 1 when a step failed
# shellcheck shell=bash
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

steps_begin=$SECONDS
steps_failed=0
steps_passed=0
steps_verdicts=()
step_status=0

# compile jobs: one per processor, but 1.5 GB of memory for each
jobs=$(nproc)
memory_jobs=$(awk '/MemAvailable/ { print int($2 / 1.5e6) }' /proc/meminfo 2>/dev/null || echo "$jobs")
if [ "${memory_jobs:-0}" -lt "$jobs" ]; then jobs=$memory_jobs; fi
if [ "$jobs" -lt 1 ]; then jobs=1; fi
export jobs

step() {
    local title=$1 begin=$SECONDS
    shift
    echo
    echo "==> $title"
    set +e
    (set -e; "$@")
    step_status=$?
    set -e
    if [ $step_status = 0 ]; then
        steps_passed=$((steps_passed + 1))
        steps_verdicts+=("ok      $title ($((SECONDS - begin)) s)")
        echo "    done in $((SECONDS - begin)) s"
    else
        steps_failed=$((steps_failed + 1))
        steps_verdicts+=("FAILED  $title ($((SECONDS - begin)) s)")
        echo "    FAILED after $((SECONDS - begin)) s"
    fi
    return 0
}

step_ok() { [ "$step_status" = 0 ]; }

skip() {
    steps_verdicts+=("skipped $1: $2")
    echo
    echo "==> $1: skipped, $2"
}

finish_steps() {
    echo
    printf '%s\n' "${steps_verdicts[@]}"
    echo "$steps_passed steps passed, $steps_failed failed in $((SECONDS - steps_begin)) s"
    [ $steps_failed = 0 ]
}
