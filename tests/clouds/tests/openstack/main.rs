//! The provider `openstack` on the wire.
