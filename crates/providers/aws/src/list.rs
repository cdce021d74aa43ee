//! Everything in a scope: VMs, and parts that outlived theirs.

use millwright_provider::{Listed, ListedKind, ProviderError, Scope};

use crate::belonging::{in_scope, uid};
use crate::home::Home;
use crate::instances;
use crate::parts;
use crate::session::Session;
use crate::tag_keys::NAME;
use crate::vm::{self, tag};

pub(crate) async fn list(
    session: &Session<'_>,
    home: &Home,
    scope: &Scope,
) -> Result<Vec<Listed>, ProviderError> {
    // Parts first: one whose VM is made meanwhile must not look as if it had none.
    let parts = parts::without_vm(session, instances::scope_filters(scope)).await?;
    let instances = instances::of_scope(session, scope).await?;
    let vms = instances.iter().filter(|instance| in_scope(instance.tags(), scope));
    let mut listed: Vec<Listed> = vms
        .map(|instance| Listed {
            id: vm::provider_id(instance, &home.region, home.id_form),
            machine_name: tag(instance.tags(), NAME).unwrap_or_default().to_owned(),
            machine_uid: uid(instance.tags()).map(str::to_owned),
            created_at: vm::created_at(instance),
            kind: ListedKind::Vm,
        })
        .collect();
    let alive: std::collections::HashSet<String> =
        listed.iter().filter_map(|vm| vm.machine_uid.clone()).collect();
    let orphaned =
        parts.into_iter().filter(|part| in_scope(&part.tags, scope) && !alive.contains(&part.machine_uid));
    listed.extend(orphaned.map(|part| Listed {
        id: part.id,
        machine_name: part.machine_name,
        machine_uid: Some(part.machine_uid),
        created_at: None,
        kind: ListedKind::Leftover(part.kind),
    }));
    Ok(listed)
}
