#!/usr/bin/env bash
# Shows that the net holds: removes one guard at a time in a copy of the workspace, runs the simulated tests there, and lists
# which of them turn red. Prints a table; ends with 1 when a guard can be removed and nothing notices.
#
#   tests/guards/run.sh              all guards
#   tests/guards/run.sh live-read    one of them
#
# The copy and its build live in $GUARDS_DIR (default: target/guards). Each guard takes a build and a run, together a minute
# or two; so this is not part of .ci/run. SIMULATED_MOST bounds each sweep (default here: 40 cases).

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
work=${GUARDS_DIR:-$root/target/guards}
copy=$work/workspace
export CARGO_TARGET_DIR=$work/target
export SIMULATED_MOST=${SIMULATED_MOST:-40}
export RUST_BACKTRACE=0

# Name ~ file ~ what is replaced (perl) ~ what the guard is. The replacement must change the file, else the script says so.
guards() {
    cat <<'TABLE'
create-once~crates/providers/local/src/create.rs~s/client_token: uid,/client_token: \&format!("{uid}-{}", { static N: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0); N.fetch_add(1, std::sync::atomic::Ordering::Relaxed) }),/; s/if_name_taken: IfNameTaken::Refuse,/if_name_taken: IfNameTaken::Allow,/~a creation is idempotent by the machine's UID, and wants the name for itself
own-writes~crates/cluster/src/execute/machineset.rs~s/fleet\.update\(\|index\| index\.apply_machine\(created\)\);/drop(created);/~a set counts the machine it has just made before any watch tells
orphan-grace~crates/decide/src/orphan.rs~s/if age < grace \{ Verdict::TooYoung \}/if age < grace \&\& false { Verdict::TooYoung }/~a VM has a time of grace before it is called an orphan
live-read~crates/cluster/src/orphans/live.rs~s/(pub\(super\) async fn machine\(fleet: &Fleet, name: &str\) -> Result<Option<Machine>, kube::Error> \{\n)/$1    return Ok(fleet.with_index(|index| index.machine(name).map(|machine| (**machine).clone())));\n    #[allow(unreachable_code)]\n/~an orphan is confirmed by a read of the API server itself
lease-check~crates/cluster/src/leader/claim.rs~s/\*self\.claim\.borrow\(\) == Claim::Held && Instant::now\(\) < \*self\.valid_until\.lock\(\)/true/~each write asks whether the lease is still held
machine-finalizer~crates/decide/src/machine/birth.rs~s/if !machine\.has_finalizer\(finalizers::MACHINE\) \{/if false {/~the finalizer is on a machine before its VM is made
class-finalizer~crates/decide/src/machine/birth.rs~s/if let Some\(plan\) = class_hold::wait\(view, now\) \{\n\s*return plan;\n\s*\}/let _ = class_hold::wait;/~a VM is made only from a class that cannot vanish
delete-by-uid~crates/cluster/src/execute/machine.rs~s/uid: Some\(uid\.to_owned\(\)\)/uid: None/~a machine is deleted by its UID, not by its name
foreign-vm~crates/providers/local/src/belonging.rs~s/if !in_scope\(&vm\.tags, scope\) \{/if false {/; s/if vm\.name != machine\.name \{/if false {/~a VM without our tags is never touched
freeze~crates/decide/src/freeze/trust.rs~s/matches!\(self, Self::Frozen\)/false/~who cannot see judges nobody
leftovers~crates/providers/local/src/delete.rs~s/leftovers\(session, machine, scope\)\.await\?;\n    if/if/~a death looks for parts that never were its VM's
says-gone~crates/cluster/src/client/absence.rs~s/status\.code == 404 && .*/status.code == 404/~a 404 counts only when it names the object
TABLE
}

# With new times on all files, so that nothing of a build without a guard is taken for up to date.
fresh_copy() {
    mkdir -p "$copy"
    rm -rf "${copy:?}"/*
    (cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy" 2>/dev/null)
}

# Runs the tests and prints the names of those that fail; a copy that does not build is an error of this script.
red() {
    local log=$work/$1.log
    (cd "$copy" && cargo test --offline -p millwright-tests --test simulated) >"$log" 2>&1
    if ! grep -q '^test result' "$log"; then
        echo "the copy without $1 does not build; see $log" >&2
        return 1
    fi
    sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log" | sort
}

fresh_copy
failures=0
if [[ $# -eq 0 ]]; then
    untouched=$(red untouched) || exit 1
    if [[ -n $untouched ]]; then
        echo "these are red with every guard in place:" >&2
        echo "$untouched" >&2
        exit 1
    fi
fi
echo "| guard | what it holds | tests that turn red without it |"
echo "|---|---|---|"
while IFS='~' read -r name file change what; do
    if [[ $# -gt 0 && " $* " != *" $name "* ]]; then
        continue
    fi
    cp -p "$copy/$file" "$work/saved"
    perl -0pi -e "$change" "$copy/$file"
    if cmp -s "$copy/$file" "$work/saved"; then
        echo "guard $name was not found in $file; mend tests/guards/run.sh" >&2
        exit 1
    fi
    if [[ $name == create-once ]]; then
        perl -0pi -e 's/(enum IfNameTaken \{\n)/$1    Allow,\n/' "$copy/crates/providers/local/src/wire.rs"
    fi
    tests=$(red "$name") || exit 1
    count=$(grep -c . <<<"$tests")
    shown=$(sed 's/.*/`&`/' <<<"$tests" | head -n 6 | paste -sd ' ')
    [[ -z $tests ]] && count=0 shown="**none**" && failures=1
    ((count > 6)) && shown="$shown and $((count - 6)) more"
    echo "| $name | $what | $count: $shown |"
    cp "$work/saved" "$copy/$file"
    cp "$root/crates/providers/local/src/wire.rs" "$copy/crates/providers/local/src/wire.rs"
done < <(guards)
exit $failures
