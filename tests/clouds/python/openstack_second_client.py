"""OpenStack's own client drives the stand-in: a server with a port from birth to death, and refusals.

usage: openstack_second_client.py AUTH-URL
The administrator's password is in OS_PASSWORD.
"""

import os
import sys
import time

import openstack
from openstack import exceptions

PATIENCE = 240


def until(what, look):
    deadline = time.monotonic() + PATIENCE
    while True:
        seen = look()
        if seen:
            return seen
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def refused(call, **arguments):
    try:
        call(**arguments)
    except exceptions.HttpException as error:
        assert error.response.headers["x-openstack-request-id"]
        return error.status_code
    raise AssertionError("not refused")


def gone(cloud, server):
    try:
        cloud.compute.get_server(server)
    except exceptions.NotFoundException:
        return True
    return False


def main(auth_url):
    cloud = openstack.connect(
        auth_url=auth_url,
        username="admin",
        password=os.environ["OS_PASSWORD"],
        project_name="admin",
        user_domain_id="default",
        project_domain_id="default",
        region_name="RegionOne",
    )
    flavor = cloud.compute.create_flavor(name="second-client", vcpus=2, ram=2048, disk=10)
    image = cloud.image.create_image(
        name="second-client", disk_format="raw", container_format="bare", data=b"0" * 4096, wait=True
    )
    network = cloud.network.create_network(name="second-client")
    cloud.network.create_subnet(network_id=network.id, cidr="10.9.0.0/24", ip_version=4, enable_dhcp=False)
    port = cloud.network.create_port(
        network_id=network.id, name="one", allowed_address_pairs=[{"ip_address": "100.96.0.0/11"}]
    )
    wanted = {"name": "one", "flavor_id": flavor.id, "image_id": image.id}
    server = cloud.compute.create_server(**wanted, networks=[{"port": port.id}], metadata={"machine-uid": "one"})
    until("the server is active", lambda: cloud.compute.get_server(server.id).status == "ACTIVE")
    bound = cloud.network.get_port(port.id)
    assert (bound.status, bound.device_id) == ("ACTIVE", server.id), bound
    assert [one.id for one in cloud.compute.servers(name="^one$")] == [server.id]

    create = cloud.compute.create_server
    assert refused(create, **{**wanted, "flavor_id": "nobodys"}, networks="none") == 400
    missing = "00000000-0000-0000-0000-000000000000"
    assert refused(create, **{**wanted, "image_id": missing}, networks="none") == 400
    giant = cloud.compute.create_flavor(name="giant", vcpus=100000, ram=1, disk=1)
    assert refused(create, **{**wanted, "flavor_id": giant.id}, networks="none") == 403
    large = cloud.compute.create_flavor(name="large", vcpus=5000, ram=1, disk=1)
    homeless = cloud.compute.create_server(**{**wanted, "flavor_id": large.id}, networks="none")
    until("there is no host", lambda: cloud.compute.get_server(homeless.id).status == "ERROR")
    assert "No valid host" in cloud.compute.get_server(homeless.id).fault["message"]

    for doomed in (homeless, server):
        cloud.compute.delete_server(doomed.id)
        until("the server is gone", lambda: gone(cloud, doomed.id))
    assert not cloud.network.get_port(port.id).device_id


if __name__ == "__main__":
    main(*sys.argv[1:])
