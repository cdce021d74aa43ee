//! The names of a VM's parts, each from the VM's name, and back. Case does not matter to Azure.

/// What a network interface's name adds to its VM's in Gardener's dialect.
pub(crate) const NIC_SUFFIX: &str = "-nic";
/// The same in Kubermatic's.
pub(crate) const KUBERMATICS_NIC_SUFFIX: &str = "-netiface";
const OS_DISK_SUFFIX: &str = "-os-disk";
const DATA_DISK_SUFFIX: &str = "-data-disk";

pub(crate) fn nic(vm: &str, suffix: &str) -> String {
    format!("{vm}{suffix}")
}

pub(crate) fn os_disk(vm: &str) -> String {
    format!("{vm}{OS_DISK_SUFFIX}")
}

/// `VM-LUN-data-disk`, or `VM-NAME-LUN-data-disk` of a disk that has a name.
pub(crate) fn data_disk(vm: &str, disk: Option<&str>, lun: i32) -> String {
    format!("{vm}{}", data_disk_suffix(disk, lun))
}

pub(crate) fn data_disk_suffix(disk: Option<&str>, lun: i32) -> String {
    disk.map_or_else(
        || format!("-{lun}{DATA_DISK_SUFFIX}"),
        |disk| format!("-{disk}-{lun}{DATA_DISK_SUFFIX}"),
    )
}

/// The VM for which a network interface of that name was made; `None` for any other name.
pub(crate) fn vm_of_nic<'a>(name: &'a str, suffix: &str) -> Option<&'a str> {
    without_suffix(name, suffix)
}

/// The VM for which a disk of that name was made. `known` are the suffixes of the class's data disks, which may hold a name that
/// could be taken for a part of the VM's; of any other data disk the number is cut off. `None` for any other name.
pub(crate) fn vm_of_disk<'a>(name: &'a str, known: &[String]) -> Option<&'a str> {
    if let Some(vm) = without_suffix(name, OS_DISK_SUFFIX) {
        return Some(vm);
    }
    let fitting = known.iter().filter_map(|suffix| without_suffix(name, suffix));
    if let Some(vm) = fitting.min_by_key(|vm| vm.len()) {
        return Some(vm);
    }
    let (vm, lun) = without_suffix(name, DATA_DISK_SUFFIX)?.rsplit_once('-')?;
    let is_number = !lun.is_empty() && lun.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !vm.is_empty()).then_some(vm)
}

/// What stands before the suffix, if it is there and something stands before it.
fn without_suffix<'a>(name: &'a str, suffix: &str) -> Option<&'a str> {
    let at = name.len().checked_sub(suffix.len()).filter(|at| *at > 0)?;
    let (vm, end) = name.split_at_checked(at)?;
    end.eq_ignore_ascii_case(suffix).then_some(vm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_nic_never_yields_a_machine() {
        for name in ["", "-nic", "nic", "x", "ni", "web-server-interface", "vm-nic-2", "ü"] {
            assert_eq!(vm_of_nic(name, NIC_SUFFIX), None, "{name}");
        }
        assert_eq!(vm_of_nic("pool-a-1-NIC", NIC_SUFFIX), Some("pool-a-1"));
    }

    #[test]
    fn a_part_is_led_back_to_its_vm() {
        assert_eq!(vm_of_disk(&os_disk("pool-a-1"), &[]), Some("pool-a-1"));
        assert_eq!(vm_of_disk(&data_disk("pool-a-1", None, 3), &[]), Some("pool-a-1"));
        let known = [data_disk_suffix(Some("kubelet"), 0), data_disk_suffix(None, 0)];
        assert_eq!(vm_of_disk(&data_disk("pool-a-1", Some("kubelet"), 0), &known), Some("pool-a-1"));
        assert_eq!(vm_of_disk("pool-a-1-Kubelet-0-Data-Disk", &known), Some("pool-a-1"));
    }

    #[test]
    fn a_foreign_disk_never_yields_a_machine() {
        for name in
            ["", "-os-disk", "data", "-data-disk", "x-data-disk", "1-data-disk", "-1-data-disk", "pvc-0123"]
        {
            assert_eq!(vm_of_disk(name, &[]), None, "{name}");
        }
    }
}
