//! Provider of openstack.
