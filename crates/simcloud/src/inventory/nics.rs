//! Network interfaces: listed, and deleted when they were left behind.

use super::page::{Filter, Page};
use super::record::Record;
use super::{Inventory, page};
use crate::nic::Nic;
use crate::refusal::{Code, Refusal};

impl Inventory {
    /// A page of the NICs that match.
    pub(crate) fn list_nics(&self, filter: &Filter) -> Result<Page<Nic>, Refusal> {
        let of_filter = |nic: &&Nic| filter.matches(&nic.name, &nic.tags) && filter.client_token.is_none();
        page::cut(&self.nics, filter, of_filter, Nic::clone)
    }

    /// Deletes a NIC that belongs to no VM.
    pub(crate) fn delete_nic(&mut self, id: &str) -> Result<(), Refusal> {
        let nic = self.ids.get(id).and_then(|seq| self.nics.get(seq));
        let nic = nic.ok_or_else(|| Refusal::not_found("NIC", id))?;
        if let Some(vm) = &nic.vm {
            return Err(Refusal::new(
                Code::Conflict,
                format!("NIC {id:?} is in use by VM {vm:?}; delete that first"),
            ));
        }
        self.commit(vec![Record::NicGone { id: id.to_owned() }])
    }
}
