"""Google's own client drives the stand-in for Compute Engine: one VM from birth to death, with pages, filters and refusals.

usage: gcp_second_client.py HOST-URL TOKEN PROJECT
"""

import sys
import time

import google.auth.credentials
from google.api_core import exceptions
from google.api_core.client_options import ClientOptions
from google.cloud import compute_v1

ZONE = "europe-west1-b"


class Fixed(google.auth.credentials.Credentials):
    """A token that was given to somebody else."""

    def __init__(self, token):
        super().__init__()
        self.token = token

    def refresh(self, request):
        raise RuntimeError("the token is no good")


def vm(name):
    """A VM as small as can be."""
    return compute_v1.Instance(
        name=name,
        machine_type=f"zones/{ZONE}/machineTypes/n2-standard-2",
        disks=[
            compute_v1.AttachedDisk(
                boot=True,
                auto_delete=True,
                initialize_params=compute_v1.AttachedDiskInitializeParams(
                    disk_size_gb=20,
                    disk_type=f"zones/{ZONE}/diskTypes/pd-ssd",
                    source_image="projects/p/global/images/i",
                    labels={"machine_name": name},
                ),
            )
        ],
        network_interfaces=[compute_v1.NetworkInterface(subnetwork="regions/europe-west1/subnetworks/s")],
        labels={"machine_name": name, "second": "client"},
        tags=compute_v1.Tags(items=["kubernetes-io-cluster-a", "kubernetes-io-role-node"]),
    )


def main():
    url, token, project = sys.argv[1:]
    options = ClientOptions(api_endpoint=url)
    made = {"credentials": Fixed(token), "client_options": options}
    instances = compute_v1.InstancesClient(**made)
    disks = compute_v1.DisksClient(**made)
    operations = compute_v1.ZoneOperationsClient(**made)
    place = {"project": project, "zone": ZONE}

    def finish(operation):
        """Waits for an operation. The client's own futures ask Google, whatever the endpoint."""
        for _ in range(100):
            if operation.status == compute_v1.Operation.Status.DONE:
                assert not operation.error.errors, operation.error
                return
            time.sleep(0.05)
            operation = operations.get(operation=operation.name, **place)
        raise SystemExit(f"{operation.name} never ends")

    names = [f"second-{number}" for number in range(3)]
    for name in names:
        finish(instances.insert_unary(instance_resource=vm(name), **place))
    seen = instances.get(instance=names[0], **place)
    assert seen.status == "RUNNING", seen.status
    assert list(seen.tags.items) == ["kubernetes-io-cluster-a", "kubernetes-io-role-node"], seen.tags
    assert seen.disks[0].disk_size_gb == 20, seen.disks

    request = compute_v1.ListInstancesRequest(max_results=1, filter="labels.second:*", **place)
    assert [entry.name for entry in instances.list(request=request)] == names

    labels = compute_v1.InstancesSetLabelsRequest(label_fingerprint=seen.label_fingerprint, labels={"second": "time"})
    finish(instances.set_labels_unary(instance=names[0], instances_set_labels_request_resource=labels, **place))
    try:
        instances.set_labels_unary(instance=names[0], instances_set_labels_request_resource=labels, **place)
        raise SystemExit("an old fingerprint must be refused")
    except exceptions.PreconditionFailed:
        pass
    try:
        instances.insert_unary(instance_resource=vm(names[1]), **place)
        raise SystemExit("a name that is taken must be refused")
    except exceptions.Conflict:
        pass

    for name in names:
        finish(instances.delete_unary(instance=name, **place))
    assert not list(instances.list(**place)) and not list(disks.list(**place))
    try:
        instances.get(instance=names[0], **place)
        raise SystemExit("a VM that is gone must not be found")
    except exceptions.NotFound:
        pass
    print("good")


if __name__ == "__main__":
    main()
