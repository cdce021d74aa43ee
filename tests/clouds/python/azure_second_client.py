"""Drives the stand-in for Azure with Microsoft's own clients.

What they send, and whether their pollers come to an end, was decided by the vendor: it holds the stand-in's long-running operations,
its lists and its errors against something that this project did not write. Says nothing and ends with 0 when all went well.
"""

import sys
from urllib.parse import urlsplit, urlunsplit

from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ResourceNotFoundError
from azure.core.pipeline.transport import RequestsTransport
from azure.identity import ClientSecretCredential
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.network import NetworkManagementClient

# The clients send tokens by https only. Names that lead nowhere stand for the stand-in, which is told what it is called.
LOGIN = "login.stand-in.test"
MANAGEMENT = "management.stand-in.test"


class ByPlainHttp(RequestsTransport):
    """Sends what is meant for one of the two names to the stand-in."""

    def __init__(self, url):
        super().__init__()
        self.place = urlsplit(url).netloc

    def send(self, request, **options):
        asked = urlsplit(request.url)
        assert asked.netloc in (LOGIN, MANAGEMENT), f"{asked.netloc} is somebody else"
        request.headers["X-Forwarded-Proto"] = asked.scheme
        request.headers["X-Forwarded-Host"] = asked.netloc
        meant, request.url = request.url, urlunsplit(asked._replace(scheme="http", netloc=self.place))
        try:
            return super().send(request, **options)
        finally:
            # A poller asks again by the same request.
            request.url = meant


def credential(url, tenant, client, secret):
    return ClientSecretCredential(
        tenant,
        client,
        secret,
        authority=f"https://{LOGIN}",
        disable_instance_discovery=True,
        transport=ByPlainHttp(url),
    )


def clients(url, subscription, login):
    options = {
        "base_url": f"https://{MANAGEMENT}",
        "credential_scopes": [f"https://{MANAGEMENT}/.default"],
        "polling_interval": 1,
        "retry_total": 0,
    }
    return (
        ComputeManagementClient(login, subscription, transport=ByPlainHttp(url), **options),
        NetworkManagementClient(login, subscription, transport=ByPlainHttp(url), **options),
    )


def expect(what, seen, wanted):
    if seen != wanted:
        sys.exit(f"{what} must be {wanted!r}; it is {seen!r}")


def refused(kind, code, call):
    """The call must be refused in those words."""
    try:
        call()
    except kind as error:
        seen = error.error.code if getattr(error, "error", None) else None
        expect("the code of the refusal", seen, code)
        return
    sys.exit(f"a call must be refused with {code}; it was not")


def vm(name, nic):
    return {
        "location": "westeurope",
        "tags": {"kubernetes.io-cluster-one": "1"},
        "zones": ["1"],
        "properties": {
            "hardwareProfile": {"vmSize": "Standard_D2s_v5"},
            "storageProfile": {
                "imageReference": {
                    "publisher": "Canonical",
                    "offer": "ubuntu-24_04-lts",
                    "sku": "server",
                    "version": "latest",
                },
                "osDisk": {"name": f"{name}-os-disk", "createOption": "FromImage", "deleteOption": "Delete"},
            },
            "osProfile": {"computerName": name, "adminUsername": "core", "adminPassword": "not-a-real-1!"},
            "networkProfile": {
                "networkInterfaces": [{"id": nic, "properties": {"primary": True, "deleteOption": "Delete"}}]
            },
        },
    }


def main(url, tenant, client, secret, subscription, group, subnet):
    compute, network = clients(url, subscription, credential(url, tenant, client, secret))
    names = [f"second-{number:02}" for number in range(12)]

    expect("the name of the subnet", network.subnets.get(group, "shoot-one-vnet", "nodes").name, "nodes")
    vms = []
    for name in names:
        nic = {
            "location": "westeurope",
            "properties": {
                "ipConfigurations": [{"name": "one", "properties": {"subnet": {"id": subnet}}}],
            },
        }
        nic = network.network_interfaces.begin_create_or_update(group, f"{name}-nic", nic).result()
        expect("an interface", nic.provisioning_state, "Succeeded")
        vms.append(compute.virtual_machines.begin_create_or_update(group, name, vm(name, nic.id)))
    for name, poller in zip(names, vms):
        made = poller.result()
        expect(f"the name of {name}", made.name, name)
        expect(f"the state of {name}", made.provisioning_state, "Succeeded")

    expect("the list of all pages", [vm.name for vm in compute.virtual_machines.list(group)], names)
    view = compute.virtual_machines.instance_view(group, names[0])
    expect("its power", view.statuses[-1].code, "PowerState/running")
    disk = compute.disks.begin_create_or_update(
        group,
        "data",
        {"location": "westeurope", "properties": {"creationData": {"createOption": "Empty"}, "diskSizeGB": 10}},
    ).result()
    expect("the state of a disk", disk.provisioning_state, "Succeeded")
    compute.disks.begin_delete(group, "data").result()

    refused(HttpResponseError, "NicInUse", lambda: network.network_interfaces.begin_delete(group, f"{names[0]}-nic"))
    refused(ResourceNotFoundError, "ResourceNotFound", lambda: compute.virtual_machines.get(group, "nobody"))
    # The test lets the creation of this one fail at its end.
    nic = network.network_interfaces.begin_create_or_update(
        group,
        "doomed-nic",
        {"location": "westeurope", "properties": {"ipConfigurations": [{"name": "one", "properties": {"subnet": {"id": subnet}}}]}},
    ).result()
    doomed = compute.virtual_machines.begin_create_or_update(group, "doomed", vm("doomed", nic.id))
    refused(HttpResponseError, "ZonalAllocationFailed", doomed.result)

    for poller in [compute.virtual_machines.begin_delete(group, name) for name in [*names, "doomed"]]:
        poller.result()
    expect("what is left", [vm.name for vm in compute.virtual_machines.list(group)], [])
    expect("interfaces left", [nic.name for nic in network.network_interfaces.list(group)], [])
    expect("disks left", [disk.name for disk in compute.disks.list_by_resource_group(group)], [])

    stranger, _ = clients(url, subscription, credential(url, tenant, client, "a wrong secret"))
    try:
        stranger.virtual_machines.get(group, "nobody")
    except ClientAuthenticationError as error:
        assert "AADSTS7000215" in str(error), error
    else:
        sys.exit("a wrong secret must be refused; it was not")


if __name__ == "__main__":
    main(*sys.argv[1:])
