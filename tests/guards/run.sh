#!/usr/bin/env bash
# Shows that the net holds: removes one guard at a time in a copy of the workspace, runs the tests there that must notice, and
# lists which of them turn red. Prints a table; ends with 1 when a guard can be removed and nothing notices.
#
#   tests/guards/run.sh              all guards
#   tests/guards/run.sh live-read    one of them
#   tests/guards/run.sh --check      builds nothing: only whether each guard is still where the table looks for it
#
# The copy and its build live in $GUARDS_DIR (default: target/guards). Never build it into the workspace's own target folder:
# Cargo would take the crates without a guard for those of the workspace. Each guard takes a build and a run, together a minute
# or two; so this is not part of .ci/run, but --check is (tests/structure). SIMULATED_MOST bounds each sweep (default here: 40
# cases).

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
work=${GUARDS_DIR:-$root/target/guards}
copy=$work/workspace
export SIMULATED_MOST=${SIMULATED_MOST:-40}
export RUST_BACKTRACE=0

# Name ~ file ~ what is replaced (perl) ~ what the guard is ~ which tests must notice (arguments of `cargo test`; the simulated
# ones when nothing stands there). A line that begins with + is one more file of the guard above. Each replacement must find
# its place, else the script says so.
guards() {
    cat <<'TABLE'
create-once~crates/providers/local/src/create.rs~s/client_token: uid,/client_token: \&format!("{uid}-{}", { static N: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0); N.fetch_add(1, std::sync::atomic::Ordering::Relaxed) }),/; s/if_name_taken: IfNameTaken::Refuse,/if_name_taken: IfNameTaken::Allow,/~a creation is idempotent by the machine's UID, and wants the name for itself
+~crates/providers/local/src/wire.rs~s/(enum IfNameTaken \{\n)/$1    Allow,\n/
own-writes~crates/cluster/src/execute/machineset.rs~s/fleet\.update\(\|index\| index\.apply_machine\(created\)\);/drop(created);/~a set counts the machine it has just made before any watch tells
orphan-grace~crates/decide/src/orphan.rs~s/if age < grace \{ Verdict::TooYoung \}/if age < grace \&\& false { Verdict::TooYoung }/~a VM has a time of grace before it is called an orphan
live-read~crates/cluster/src/orphans/live.rs~s/(pub\(super\) async fn machine\(fleet: &Fleet, name: &str\) -> Result<Option<Machine>, kube::Error> \{\n)/$1    return Ok(fleet.with_index(|index| index.machine(name).map(|machine| (**machine).clone())));\n    #[allow(unreachable_code)]\n/; s/(pub\(super\) async fn machines\(fleet: &Fleet\) -> Result<Vec<Machine>, kube::Error> \{\n)/$1    return Ok(fleet.with_index(|index| index.machines().map(|machine| (**machine).clone()).collect()));\n    #[allow(unreachable_code)]\n/~an orphan is confirmed by a read of the API server itself
owner-by-id~crates/decide/src/orphan/claims.rs~s/if (\(self\.canonical\)\(&listed\.id\))/if false \&\& $1/; s/if (self\.vm_by_uid\(listed\)\.is_some_and\(\|vm\| vm != Vm::Known\))/if false \&\& $1/~a VM belongs to the machine of its id or UID, whatever it is called
lease-check~crates/cluster/src/leader/claim.rs~s/\*self\.claim\.borrow\(\) == Claim::Held && Instant::now\(\) < \*self\.valid_until\.lock\(\)/true/~each write asks whether the lease is still held
machine-finalizer~crates/decide/src/machine/birth.rs~s/if !machine\.has_finalizer\(finalizers::MACHINE\) \{/if false {/~the finalizer is on a machine before its VM is made
class-finalizer~crates/decide/src/machine/birth.rs~s/if let Some\(plan\) = class_hold::wait\(view, now\) \{\n\s*return plan;\n\s*\}/let _ = class_hold::wait;/~a VM is made only from a class that cannot vanish
secret-finalizer~crates/decide/src/machine/birth.rs~s/if let Some\(plan\) = secret_hold::wait\(view, now\) \{\n\s*return plan;\n\s*\}/let _ = secret_hold::wait;/~a VM is made only with credentials that cannot vanish~-p millwright-decide --test it
delete-by-uid~crates/cluster/src/execute/machine.rs~s/uid: Some\(uid\.to_owned\(\)\)/uid: None/~a machine is deleted by its UID, not by its name
foreign-vm~crates/providers/local/src/belonging.rs~s/if !in_scope\(&vm\.tags, scope\) \{/if false {/; s/if !is_by_uid && vm\.name != machine\.name \{/if false {/~a VM without our tags is never touched
freeze~crates/decide/src/freeze/trust.rs~s/matches!\(self, Self::Frozen\)/false/~who cannot see judges nobody
leftovers~crates/providers/local/src/delete.rs~s/if stayed == Stayed::Unknown \{/if false \&\& stayed == Stayed::Unknown {/~a death looks for parts that never were its VM's
says-gone~crates/cluster/src/client/absence.rs~s/status\.code == 404 && .*/status.code == 404/~a 404 counts only when it names the object
dead-operation~crates/decide/src/machine/memory.rs~s/if self\.vm\.is_awaited\(failure\.operation\) \{/if self.vm.is_awaited(failure.operation) \&\& false {/~a call that was accepted and failed is not taken for one that goes on~-p millwright-decide --test it
last-answer~crates/cluster/src/execute/vm_request.rs~s/remembered\.unwrap_or_else\(\|\| (machine\.status\.last_known_state\.clone\(\))\)/{ drop(remembered); $1 }/~a provider is given the state of its own last answer~-p millwright-cluster --lib
unfinished-birth~crates/decide/src/machine/health.rs~s/if birth::cloud_refused\(view\) =>/if birth::cloud_refused(view) \&\& false =>/~a machine whose VM was never finished is not called recovered because its kubelet joins~-p millwright-decide --test it
second-token~crates/cluster/src/execute/bootstrap_token.rs~s/(map_err\(failed\)\? else \{) continue \}/$1 break }/~a token under its second id is found when the holder of the first has gone~-p millwright-cluster --lib
place-of-vm~crates/cluster/src/execute/vm_class.rs~s/\|\| (made_in\.is_some_and\()/|| false \&\& $1/~a VM is looked for where it was asked for, whatever its class says since~-p millwright-cluster --lib
old-place~crates/decide/src/machine/old_place.rs~s/(view\.vm_class == VmClass::Recorded) &&/false \&\& $1 \&\&/~what an earlier place may have made is deleted there before another VM is asked for~-p millwright-decide --test it
unknown-volumes~crates/decide/src/drain/leftovers.rs~s/if (self\.leftovers == Leftovers::Known \|\|)/if true || $1/~a drain does not end while it is not known whose volumes are attached~-p millwright-decide --test it
unanswered~crates/cluster/src/execute/drain/pod_volumes.rs~s/if status\.code != 429 && status\.code < 500 =>/if status.code > 0 =>/~a look-up that nobody answered is not counted as a refusal~-p millwright-cluster --lib
refused-pods~crates/decide/src/machine/death/drained.rs~s/match view\.memory\.drain\.refused_deletions\(\) \{/match None::<String> {/~a forced drain whose deletions were refused is not called successful~-p millwright-decide --test it
TABLE
}

declare -a names=()
declare -A holds=() tests=() edits=()
while IFS='~' read -r name file change tells where; do
    if [[ $name == + ]]; then
        name=${names[-1]}
    else
        names+=("$name")
        holds[$name]=$tells
        tests[$name]=${where:--p millwright-tests --test simulated}
    fi
    edits[$name]+="$file~$change"$'\n'
done < <(guards)

# Takes a guard out of a copy of its files. A change can be several replacements; none of them may miss.
remove() {
    local name=$1 in=$2 file change
    while IFS='~' read -r file change; do
        [[ -n $file ]] || continue
        change="${change//\/; s\//\/ or die qq(it is not there\\n); s\/} or die qq(it is not there\\n)"
        if ! perl -0pi -e "$change" "$in/$file"; then
            echo "guard $name was not found in $file; mend tests/guards/run.sh" >&2
            return 1
        fi
    done <<<"${edits[$name]}"
}

# Brings a guard's files from one folder into another.
bring() {
    local file
    while IFS='~' read -r file _; do
        [[ -z $file ]] || (cd "$2" && cp --parents -t "$3" "$file") || return 1
    done <<<"${edits[$1]}"
}

if [[ ${1:-} == --check ]]; then
    scratch=$(mktemp -d) || exit 1
    trap 'rm -rf "$scratch"' EXIT
    missed=0
    for name in "${names[@]}"; do
        bring "$name" "$root" "$scratch" && remove "$name" "$scratch" || missed=1
    done
    ((missed)) || echo "${#names[@]} guards are where the table looks for them"
    exit $missed
fi
for name in "$@"; do
    if [[ -z ${holds[$name]:-} ]]; then
        echo "there is no guard $name; there are ${names[*]}" >&2
        exit 1
    fi
done

export CARGO_TARGET_DIR=$work/target

# With new times on all files, so that nothing of a build without a guard is taken for up to date.
fresh_copy() {
    mkdir -p "$copy"
    rm -rf "${copy:?}"/*
    (cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy" 2>/dev/null)
}

# Runs tests and prints the names of those that fail; a copy that does not build is an error of this script.
red() {
    local log=$work/$1.log where
    # What it is to run is several words.
    read -ra where <<<"$2"
    (cd "$copy" && cargo test --offline --no-fail-fast "${where[@]}") >"$log" 2>&1
    if ! grep -q '^test result' "$log"; then
        echo "the copy without $1 does not build; see $log" >&2
        return 1
    fi
    sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log" | sort
}

# Read as a whole before it begins: the script may be edited while it runs.
{
saved=$work/saved
rm -rf "$saved"
mkdir -p "$saved"
fresh_copy
failures=0
if [[ $# -eq 0 ]]; then
    while read -r where; do
        untouched=$(red nothing "$where") || exit 1
        if [[ -n $untouched ]]; then
            echo "these are red with every guard in place:" >&2
            echo "$untouched" >&2
            exit 1
        fi
    done < <(printf '%s\n' "${tests[@]}" | sort -u)
fi
echo "| guard | what it holds | tests that turn red without it |"
echo "|---|---|---|"
for name in "${names[@]}"; do
    if [[ $# -gt 0 && " $* " != *" $name "* ]]; then
        continue
    fi
    # What is here may have changed since the copy was made.
    bring "$name" "$copy" "$saved" || exit 1
    remove "$name" "$copy" || exit 1
    found=$(red "$name" "${tests[$name]}") || exit 1
    count=$(grep -c . <<<"$found")
    shown=$(sed 's/.*/`&`/' <<<"$found" | head -n 6 | paste -sd ' ')
    [[ -z $found ]] && count=0 shown="**none**" && failures=1
    ((count > 6)) && shown="$shown and $((count - 6)) more"
    echo "| $name | ${holds[$name]} | $count: $shown |"
    bring "$name" "$saved" "$copy" || exit 1
done
exit $failures
}
