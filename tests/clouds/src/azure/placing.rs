//! What a test does behind the provider's back.

use std::{collections::BTreeMap, time::Instant};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{
    FakeAzure, clock,
    resource::{Key, Kind, Resource},
    vm_delete,
};

/// A VM to be put there.
#[derive(Clone, Debug)]
pub struct NewVm<'a> {
    /// Its resource group.
    pub group: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Names of its interface and of its disk, which are put there with it.
    pub parts: [&'a str; 2],
    /// The tags of all three.
    pub tags: BTreeMap<String, String>,
}

impl FakeAzure {
    /// Puts a running VM there, with its interface and disk; `false` when the name is taken.
    pub fn place_vm(&self, vm: &NewVm<'_>) -> bool {
        let mut account = self.shared.account.lock();
        let key = Key::new(Kind::Vm, vm.group, vm.name);
        if account.resources.contains_key(&key) {
            return false;
        }
        let [nic, disk] = vm.parts;
        let id = |kind, name| account.id(kind, vm.group, name);
        let (vm_id, nic_id, disk_id) = (id(Kind::Vm, vm.name), id(Kind::Nic, nic), id(Kind::Disk, disk));
        let location = account.settings.location;
        let now = clock::now().to_string();
        let bodies = [
            (
                Kind::Vm,
                vm.name,
                json!({
                    "hardwareProfile": { "vmSize": "Standard_D2s_v5" },
                    "storageProfile": { "osDisk": {
                        "name": disk, "createOption": "FromImage", "deleteOption": "Delete", "managedDisk": { "id": disk_id },
                    }, "dataDisks": [] },
                    "osProfile": { "computerName": vm.name, "adminUsername": "core" },
                    "networkProfile": { "networkInterfaces": [
                        { "id": nic_id, "properties": { "primary": true, "deleteOption": "Delete" } },
                    ] },
                    "vmId": format!("vm-{}", vm.name),
                    "timeCreated": now,
                }),
                None,
            ),
            (Kind::Nic, nic, json!({ "ipConfigurations": [], "virtualMachine": { "id": vm_id } }), None),
            (Kind::Disk, disk, json!({ "diskSizeGB": 30, "timeCreated": now }), Some(vm_id.clone())),
        ];
        for (kind, name, properties, manager) in bodies {
            let mut body = json!({ "location": location, "tags": vm.tags, "properties": properties });
            if let Some(manager) = manager {
                body["managedBy"] = json!(manager);
            }
            let resource = Resource {
                id: account.id(kind, vm.group, name),
                name: name.to_owned(),
                group: vm.group.to_owned(),
                kind,
                body,
                state: "Succeeded",
                custom_data: None,
                is_volume: false,
                listed_from: Instant::now(),
                version: 1,
            };
            account.resources.insert(Key::new(kind, vm.group, name), resource);
        }
        true
    }

    /// Attaches a new disk as a volume of a pod would be; its id, or `None` when there is no such VM.
    pub fn attach_volume(&self, group: &str, vm: &str, volume: &str) -> Option<String> {
        let mut account = self.shared.account.lock();
        account.settle(Instant::now());
        let vm_key = Key::new(Kind::Vm, group, vm);
        let id = account.id(Kind::Disk, group, volume);
        let location = account.settings.location;
        let holder = account.resources.get_mut(&vm_key)?;
        let disks = &mut holder.body["properties"]["storageProfile"]["dataDisks"];
        if !disks.is_array() {
            *disks = json!([]);
        }
        disks.as_array_mut()?.push(json!({
            "lun": 42, "name": volume, "createOption": "Attach", "deleteOption": "Detach", "managedDisk": { "id": id },
        }));
        let manager = holder.id.clone();
        let body = json!({
            "location": location, "tags": { "kubernetes.io-created-for-pv-name": volume }, "managedBy": manager,
            "properties": { "diskSizeGB": 1, "creationData": { "createOption": "Empty" } },
        });
        let disk = Resource {
            id: id.clone(),
            name: volume.to_owned(),
            group: group.to_owned(),
            kind: Kind::Disk,
            body,
            state: "Succeeded",
            custom_data: None,
            is_volume: true,
            listed_from: Instant::now(),
            version: 1,
        };
        account.resources.insert(Key::new(Kind::Disk, group, volume), disk);
        Some(id)
    }

    /// Ids of the volumes that are still there.
    #[must_use]
    pub fn volumes(&self) -> Vec<String> {
        let mut account = self.shared.account.lock();
        account.settle(Instant::now());
        account.resources.values().filter(|disk| disk.is_volume).map(|disk| disk.id.clone()).collect()
    }

    /// Removes a VM and leaves its interface and disks behind; `false` when there is no such VM.
    pub fn take_out_vm(&self, group: &str, vm: &str) -> bool {
        let mut account = self.shared.account.lock();
        account.settle(Instant::now());
        let key = Key::new(Kind::Vm, group, vm);
        let was_there = account.resources.contains_key(&key);
        vm_delete::take_out(&mut account, &key);
        was_there
    }

    /// The custom data as the guest reads it.
    #[must_use]
    pub fn custom_data(&self, group: &str, vm: &str) -> Option<Vec<u8>> {
        let account = self.shared.account.lock();
        let vm = account.resources.get(&Key::new(Kind::Vm, group, vm))?;
        STANDARD.decode(vm.custom_data.as_deref()?).ok()
    }

    /// VMs as Resource Manager shows them, for whoever plays their kubelets.
    #[must_use]
    pub fn vms(&self) -> Vec<Value> {
        self.shown(Kind::Vm)
    }

    /// Interfaces as Resource Manager shows them.
    #[must_use]
    pub fn nics(&self) -> Vec<Value> {
        self.shown(Kind::Nic)
    }

    /// Disks as Resource Manager shows them.
    #[must_use]
    pub fn disks(&self) -> Vec<Value> {
        self.shown(Kind::Disk)
    }

    fn shown(&self, kind: Kind) -> Vec<Value> {
        let mut account = self.shared.account.lock();
        account.settle(Instant::now());
        account.resources.values().filter(|resource| resource.kind == kind).map(Resource::shown).collect()
    }
}
