"""Binds every port of Neutron at once: there is no agent on a hypervisor that could say that it has plugged one."""

from neutron_lib import constants
from neutron_lib.api.definitions import portbindings
from neutron_lib.plugins.ml2 import api


class Binder(api.MechanismDriver):
    def initialize(self):
        pass

    def bind_port(self, context):
        segment = context.segments_to_bind[0]
        context.set_binding(segment[api.ID], portbindings.VIF_TYPE_OVS, {}, status=constants.PORT_STATUS_ACTIVE)
