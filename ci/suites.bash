# shellcheck shell=bash disable=SC2034,SC2154
# What ci/engine-suites and ci/rayon-suites share: other crates' own test suites, run on this workspace's
# crates and compared test by test with what passes on stock. ci/plugin-suites and ci/real-games run crates
# in another way, and use parts of it.
#
# Before `suites_begin "$@"` the command sets
#   name        engine, of "engine suites": its lists are in ci/engine-suites.stock, its record in
#               docs/engine-suites.md, and what it builds in target/engine-suites
#   patched     the crate that this workspace stands in for
#   stock_name  what the other one is called
#   gate, rest  the suites of the gate, and the others
#   limit       the seconds that a suite may take to run once it is built
# and defines
#   crate_of SUITE           the crate that it is of
#   version_of CRATE         the version of its that is run
#   arguments_of SUITE       of `cargo test`
#   toolchain_of SUITE       as cargo's first argument
#   times_of SUITE           how many times it is run
#   one_by_one SUITE         whether it is so the first time with one test at a time
#   extract SIDE CRATE SOURCE TO   lays out a crate that isn't just copied; fails for one that is
# Then `suites_run` runs them, `is_to_be_recorded` says whether to write what came of it, `suites_lists` writes
# the lists, and `suites_end` ends.

root=$(cd "$(dirname "$0")/.." && pwd)
shared=${BASH_SOURCE[0]}
version_of() { echo "$version"; }
crate_of() { echo "$1"; }
toolchain_of() { :; }
times_of() { echo 5; }
one_by_one() { true; }
extract() { false; }

# Prints the head of the command's own file.
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; }
# Ends a command that was called with an option that it doesn't have.
no_option() {
  echo "$(basename "$0"): there is no option $1" >&2
  usage >&2
  exit 2
}
# The compiler's name and version.
compiler() { rustc --version | cut -d' ' -f1,2; }
# The median of the numbers on stdin, one a line; nothing of none.
median() {
  LC_ALL=C sort -g | awk '{ a[NR] = $1 }
    END { if (NR) printf "%.10g\n", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'
}

suites_begin() {
  lists=$root/ci/$name-suites.stock
  record=$root/docs/$name-suites.md
  work=$root/target/$name-suites
  mode=gate
  recording=
  suites=()
  local argument
  for argument in "$@"; do
    case $argument in
      --compare | --stock) mode=${argument#--} ;;
      --record) recording=1 ;;
      --list) printf '%s\n' "${gate[@]}" "${rest[@]}"; exit ;;
      --help) usage; exit ;;
      -*) no_option "$argument" ;;
      *)
        # Not by a pipe, which fails where grep has seen enough before all is written.
        if ! grep -qxF -- "$argument" <<<"$(printf '%s\n' "${gate[@]}" "${rest[@]}")"; then
          echo "there is no suite $argument: --list prints their names" >&2
          exit 2
        fi
        suites+=("$argument")
        ;;
    esac
  done
  if [ -n "$recording" ] && { [ "$mode" != compare ] || [ ${#suites[@]} -ne 0 ]; }; then
    echo "--record goes with --compare of all suites" >&2
    exit 2
  fi
  if [ ${#suites[@]} -eq 0 ]; then
    suites=("${gate[@]}")
    [ "$mode" != gate ] && suites+=("${rest[@]}")
  fi

  unset RUSTFLAGS RUSTDOCFLAGS
  export CARGO_TARGET_DIR=$work/target CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0 RUST_BACKTRACE=0
  export CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0
  mkdir -p "$work"/{stock,ours}
}

# Prints where the sources of a crate are, in the registry's cache; gets them if they aren't.
source_of() {
  local registry=${CARGO_HOME:-$HOME/.cargo}/registry/src wanted found
  wanted=$(version_of "$1")
  for found in "$registry"/*/"$1-$wanted"; do
    [ -d "$found" ] && { echo "$found"; return; }
  done
  local manifest=$work/fetch/$1/Cargo.toml
  mkdir -p "$work/fetch/$1/src"
  : >"$work/fetch/$1/src/lib.rs"
  printf '[package]\nname = "fetch"\nedition = "2024"\n[dependencies]\n%s = "=%s"\n[workspace]\n' "$1" "$wanted" \
    >"$manifest"
  cargo fetch --quiet --manifest-path "$manifest" >&2 || return 1
  for found in "$registry"/*/"$1-$wanted"; do
    [ -d "$found" ] && { echo "$found"; return; }
  done
  return 1
}

# Prints a file with nothing left but its documentation, each piece of it on a unit struct of its own and on
# the lines where it was, so that its doc tests run on another crate than the one that it is in.
documentation() {
  awk '/^ *\/\/[\/!]/ { sub(/^ */, ""); print; documented = /^\/\/\//; next }
    { print documented ? "pub struct Line" NR ";" : ""; documented = 0 }' "$1"
}

# Lays out a crate's copy for one side, once for each version of these scripts.
lay_out() {
  local side=$1 crate=$2 to=$work/$1/$2 source
  [ "$to/laid-out" -nt "$0" ] && [ "$to/laid-out" -nt "$shared" ] && return
  source=$(source_of "$crate") || return 1
  rm -rf "$to"
  mkdir -p "$to"
  if ! extract "$side" "$crate" "$source" "$to"; then
    cp -r "$source/." "$to"
    # The published lockfile may hold older dependencies than the tests need.
    rm -f "$to/Cargo.lock"
    # Benchmarks aren't run, and what they are written with takes longer to build than most suites.
    awk '/^\[/ { left_out = $0 ~ /^\[dev-dependencies\.criterion\]|^\[\[bench\]\]/ } !left_out' \
      "$source/Cargo.toml" >"$to/Cargo.toml"
  fi
  printf '\n[workspace]\n' >>"$to/Cargo.toml"
  if [ "$side" = ours ]; then
    # Relative, so that a copied checkout tests its own.
    printf '[patch.crates-io]\n%s = { path = "../../../../crates/%s" }\n' "$patched" "$patched" >>"$to/Cargo.toml"
  fi
  touch "$to/laid-out"
}

# Whether what was built is this workspace's crate: cargo only warns of a patch that it can't use.
is_patched() {
  grep -qxF "name = \"$patched\"" "$1/Cargo.lock" &&
    ! grep -A2 -xF "name = \"$patched\"" "$1/Cargo.lock" | grep -q '^source'
}

# Prints the sorted names of a log's tests with a verdict: `ok` or `FAILED`. Of a doc test, the file and the
# line; how its path is written depends on the crate that holds it.
verdicts() {
  sed -nE "s/^test (.*) \.\.\. $2\$/\1/p" "$1" |
    sed -E 's/^(src\/[^ ]*) - .*(\(line [0-9]+\)).*/\1 \2/' | LC_ALL=C sort
}

# Of the tests in LOG.passed, if there is one, keeps those that are in LOG.now, too.
keep_passed() {
  [ -f "$1.passed" ] || cp "$1.now" "$1.passed"
  LC_ALL=C comm -12 "$1.passed" "$1.now" >"$1.both"
  mv "$1.both" "$1.passed"
}

# Builds a suite on one side, and runs it several times. Leaves the names of its tests that passed each time
# in SIDE/SUITE.passed, and of those that ever failed in .failed. `outcome` becomes "ran" or, with what went
# wrong in `reason`, "broken" or "unavailable".
run() {
  local side=$1 suite=$2 crate log=$work/$1/$2 toolchain arguments times status begun built i threads
  crate=$(crate_of "$suite")
  rm -f "$log".{passed,failed,log,errors}
  toolchain=$(toolchain_of "$suite")
  arguments=$(arguments_of "$suite")
  times=$(times_of "$suite")
  outcome=unavailable
  if [ -n "$toolchain" ] && ! cargo "$toolchain" --version >/dev/null 2>&1; then
    reason="it needs a nightly compiler"
    return
  fi
  if ! lay_out "$side" "$crate" 2>"$log.errors"; then
    reason="its sources can't be had: $(grep -m1 '^error' "$log.errors")"
    return
  fi
  begun=$SECONDS
  # The dependencies of some crates name a later compiler than they need. Doc tests are built as they run.
  # shellcheck disable=SC2086
  (cd "$work/$side/$crate" && cargo $toolchain test --quiet --ignore-rust-version --no-run ${arguments/--doc/--lib}) \
    >"$log.log" 2>"$log.errors"
  status=$?
  built=$SECONDS
  if [ $status -ne 0 ]; then
    reason=$(grep -m1 -oE 'The system library .* not found' "$log.errors" || grep -m1 '^error' "$log.errors")
    if grep -qiE 'failed to download|resolve host|connect to|network failure|timed out' "$log.errors"; then
      reason="its dependencies can't be had: $reason"
    else
      outcome=broken
      reason="it doesn't build: $reason"
    fi
    return
  fi
  if [ "$side" = ours ] && ! is_patched "$work/$side/$crate"; then
    outcome=broken
    reason="it was built with $stock_name: cargo didn't use the patch"
    return
  fi
  outcome=ran
  for ((i = 0; i < times && status == 0; i++)); do
    threads=()
    [ "$i" -eq 0 ] && one_by_one "$suite" && threads=(-- --test-threads=1)
    # shellcheck disable=SC2086
    (cd "$work/$side/$crate" &&
      timeout -k 10 "$limit" cargo $toolchain test --no-fail-fast --ignore-rust-version $arguments "${threads[@]}") \
      >"$log.log" 2>"$log.errors"
    status=$?
    verdicts "$log.log" FAILED >"$log.now"
    if [ $status -eq 124 ] || [ $status -eq 137 ]; then
      outcome=broken
      reason="it HANGS, not done after $limit s$(sed -nE '$s/^test (.*) \.\.\. $/, in \1/p' "$log.log")"
    elif [ $status -ne 0 ] && [ ! -s "$log.now" ]; then
      outcome=broken
      reason="it ends with status $status, without a failed test"
    else
      status=0
    fi
    touch "$log.failed"
    LC_ALL=C sort -u -o "$log.failed" "$log.failed" "$log.now"
    verdicts "$log.log" ok >"$log.now"
    keep_passed "$log"
  done
  rm -f "$log.now"
  printf '%-24s %-5s %4d passed, %d failed; built in %d s, run %d times in %d s\n' "$suite" "$side" \
    "$(wc -l <"$log.passed")" "$(wc -l <"$log.failed")" $((built - begun)) "$i" $((SECONDS - built))
}

failed=0
ran=0
passed=0
skipped=()
# A row of the record's table for each suite that ran on both: what `row_of SUITE` prints, then the counts.
rows=()
row_of() { echo "\`$1\`"; }
skip() {
  echo "$1: skipped, $2"
  skipped+=("$1: $2")
}

suites_run() {
  local suite expected stock_failed lost test what differs both gained
  for suite in "${suites[@]}"; do
    if [ "$mode" != gate ]; then
      run stock "$suite"
      expected=$work/stock/$suite.passed
      stock_failed=$work/stock/$suite.failed
      if [ "$outcome" != ran ]; then
        # What stock can't do isn't asked of ours.
        [ -s "$expected" ] || { skip "$suite" "on stock $reason"; continue; }
        echo "$suite: on stock $reason"
      elif [ ! -s "$expected" ]; then
        echo "$suite: no test passes on stock, or its verdicts are worded in a new way; see $work/stock/$suite.log"
        failed=1
        continue
      fi
      if [ "$mode" = stock ]; then
        sed 's/^/    fails: /' "$stock_failed"
        ran=$((ran + 1)) passed=$((passed + $(wc -l <"$expected")))
        continue
      fi
    else
      expected=$work/$suite.expected
      stock_failed=/dev/null
      if ! grep -v '^#' "$lists/$suite.txt" >"$expected"; then
        echo "$suite: no list of what passes on stock"
        failed=1
        continue
      fi
    fi

    run ours "$suite"
    if [ "$outcome" != ran ]; then
      if [ "$outcome" = unavailable ]; then skip "$suite" "$reason"; continue; fi
      echo "$suite: $reason; see $work/ours/$suite.errors"
      failed=1
      [ -f "$work/ours/$suite.passed" ] || continue
    fi
    ran=$((ran + 1))
    passed=$((passed + $(wc -l <"$work/ours/$suite.passed")))
    lost=$(LC_ALL=C comm -23 "$expected" "$work/ours/$suite.passed")
    if [ -n "$lost" ]; then
      failed=1
      while read -r test; do
        if grep -qxF "$test" "$work/ours/$suite.failed"; then what=FAILS; else what="NO VERDICT"; fi
        echo "    $what: $test"
      done <<<"$lost"
      # With one core, three of bevy_ecs fail on stock as well.
      [ "$mode" = gate ] && echo "    $(head -1 "$lists/$suite.txt"); --compare runs stock on this machine"
    fi
    differs=${lost:+"doesn't pass here: ${lost//$'\n'/, }"}
    both=$(LC_ALL=C comm -12 "$stock_failed" "$work/ours/$suite.failed")
    [ -n "$both" ] && differs=${differs:+$differs; }"fails on both, each time or at times: ${both//$'\n'/, }"
    gained=$(LC_ALL=C comm -13 "$expected" "$work/ours/$suite.passed")
    [ "$mode" = compare ] && [ -n "$gained" ] && differs=${differs:+$differs; }"passes here alone: ${gained//$'\n'/, }"
    rows+=("| $(row_of "$suite") | $(wc -l <"$expected") | $(wc -l <"$work/ours/$suite.passed") |")
    rows[-1]+=" ${differs:-nothing} |"
  done
}

# Whether to write lists and record: that was asked for, something ran, and all that passes on stock passes here.
is_to_be_recorded() {
  [ -n "$recording" ] || return
  [ $ran -gt 0 ] && [ $failed -eq 0 ] && return
  echo "nothing is recorded, as not all holds: see above" >&2
  return 1
}

# Writes the lists of what passes on stock.
suites_lists() {
  local suite crate
  mkdir -p "$lists"
  for suite in "${suites[@]}"; do
    [ -s "$work/stock/$suite.passed" ] || continue
    crate=$(crate_of "$suite")
    { echo "# The tests of $suite $(version_of "$crate") that pass on $stock_name; $(date +%F), $(nproc) cores"
      cat "$work/stock/$suite.passed"; } >"$lists/$suite.txt"
  done
}

suites_end() {
  local what
  for what in "${skipped[@]}"; do echo "not run: $what"; done
  echo "$name suites: $passed tests of $ran suites passed"
  [ $ran -gt 0 ] && [ $failed -eq 0 ]
}
