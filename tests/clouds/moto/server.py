"""Moto's server with what EC2 does and Moto does not.

Each difference is one function below. What is still missing is listed in docs/providers/README.md.

    python server.py PORT

Environment: PENDING_POLLS is how many times an instance is seen pending before it runs (0: never); PAGE is the most reservations
in one page of DescribeInstances (0: as many as are asked for), as EC2 may give fewer than it is asked for.
"""

import copy
import os
import re
import sys
import threading

# Read when Moto is imported.
os.environ["MOTO_ENABLE_AMI_VALIDATION"] = "1"
os.environ["MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION"] = "1"
os.environ["MOTO_ENABLE_KEYPAIR_VALIDATION"] = "1"

from moto.ec2.exceptions import EC2ClientError  # noqa: E402
from moto.ec2.models.instances import Instance  # noqa: E402
from moto.ec2.models.subnets import Subnet  # noqa: E402
from moto.ec2.responses._base_response import EC2BaseResponse  # noqa: E402
from moto.ec2.responses import instances as responses  # noqa: E402

InstanceResponse = responses.InstanceResponse
PENDING_POLLS = int(os.environ.get("PENDING_POLLS", "0"))
PAGE = int(os.environ.get("PAGE", "0"))

# Instance types that stand for a misfortune: what EC2 says, and with which HTTP status.
MISFORTUNES = {
    "x.insufficient": ("InsufficientInstanceCapacity", "We currently do not have sufficient x.insufficient capacity in the Availability Zone you requested.", 500),
    "x.addresses": ("InsufficientFreeAddressesInSubnet", "There are not enough free addresses in the subnet to satisfy the requested number of instances.", 400),
    "x.vcpus": ("VcpuLimitExceeded", "You have requested more vCPU capacity than your current vCPU limit allows.", 400),
    "x.limit": ("InstanceLimitExceeded", "Your quota allows for 0 more running instance(s).", 400),
    "x.volumes": ("VolumeLimitExceeded", "You have exceeded the maximum number of volumes.", 400),
    "x.spot": ("MaxSpotInstanceCountExceeded", "Max spot instance count exceeded", 400),
    "x.price": ("SpotMaxPriceTooLow", "Your Spot request price is lower than the minimum required Spot request fulfillment price.", 400),
    "x.unsupported": ("Unsupported", "The requested configuration is currently not supported.", 400),
    "x.throttle": ("RequestLimitExceeded", "Request limit exceeded.", 503),
    "x.internal": ("InternalError", "An internal error has occurred", 500),
    "x.unavailable": ("Unavailable", "The server is overloaded and can't handle the request.", 503),
    "x.denied": ("UnauthorizedOperation", "You are not authorized to perform this operation.", 403),
    "x.pending-verification": ("PendingVerification", "Your request for accessing resources in this region is being validated.", 400),
    "x.opt-in": ("OptInRequired", "You are not subscribed to this service.", 401),
}
STATUS = {code: status for code, _, status in MISFORTUNES.values()}
INSTANCE_ID = re.compile(r"^i-([0-9a-f]{8}|[0-9a-f]{17})$")

one_at_a_time = threading.RLock()


def keep_clouds_statuses():
    """Moto answers 400 to what its model of EC2 does not name."""
    serialized = InstanceResponse.serialized

    def with_status(self, outcome):
        status, headers, body = serialized(self, outcome)
        if isinstance(outcome.result, EC2ClientError):
            status = STATUS.get(outcome.result.code, status)
        return status, headers, body

    InstanceResponse.serialized = with_status


def remember_client_tokens():
    """The same token gives the same instances, and refuses other parameters. Tags of network interfaces are kept."""
    run_instances = InstanceResponse.run_instances

    def once(self):
        token = self._get_param("ClientToken")
        parameters = {key: value for key, value in self.querystring.items() if key != "ClientToken"}
        with one_at_a_time:
            # On the backend, so that a reset of Moto forgets it.
            tokens = self.ec2_backend.__dict__.setdefault("client_tokens", {})
            if token and token in tokens:
                known, reservation = tokens[token]
                if known != parameters:
                    raise EC2ClientError("IdempotentParameterMismatch", f"The client token {token} was used with other parameters before.")
                return responses.ActionResult(reservation)
            refuse_misfortunes(self)
            refuse_unknown_groups(self)
            answer = run_instances(self)
            reservation = answer.result
            if token:
                tokens[token] = (parameters, reservation)
            tag_network_interfaces(self, reservation)
            for instance in reservation.instances:
                instance.polls_left = PENDING_POLLS
            return answer

    InstanceResponse.run_instances = once
    # Moto calls every instance pending here, also one that a token brings back from the dead.
    EC2BaseResponse.RESPONSE_KEY_PATH_TO_TRANSFORMER["RunInstances.Reservation.Instances.Instance.State"] = as_run_instances_says_it


def as_run_instances_says_it(state):
    if state.name == "running":
        return {"Code": 0, "Name": "pending"}
    return {"Code": state.code, "Name": state.name}


def refuse_misfortunes(request):
    misfortune = MISFORTUNES.get(request._get_param("InstanceType"))
    if misfortune:
        raise EC2ClientError(misfortune[0], misfortune[1])


def refuse_unknown_groups(request):
    named = list(request._get_param("SecurityGroupIds", []))
    for interface in request._get_param("NetworkInterfaces", []):
        named.extend(interface.get("Groups") or [])
    for group in named:
        if not request.ec2_backend.get_security_group_from_id(group):
            raise EC2ClientError("InvalidGroup.NotFound", f"The security group '{group}' does not exist")


def tag_network_interfaces(request, reservation):
    tags = (request._parse_tag_specification() or {}).get("network-interface")
    if not tags:
        return
    for instance in reservation.instances:
        request.ec2_backend.create_tags([nic.id for nic in instance.nics.values()], tags)


def boot_slowly():
    """An instance is pending for some looks at it, and never longer."""
    describe_instances = InstanceResponse.describe_instances

    def look(self):
        refuse_malformed_ids(self)
        with one_at_a_time:
            for reservation in self.ec2_backend.reservations.values():
                for instance in reservation.instances:
                    left = getattr(instance, "polls_left", 0)
                    if left > 0 and instance._state.name in ("running", "pending"):
                        instance._state.name, instance._state.code = "pending", 0
                        instance.polls_left = left - 1
                    elif instance._state.name == "pending":
                        instance._state.name, instance._state.code = "running", 16
            return describe_instances(self)

    InstanceResponse.describe_instances = look


def give_short_pages():
    """A page has PAGE reservations at most, whatever was asked for."""
    describe_instances = InstanceResponse.describe_instances

    def short(self):
        get = self._get_param

        def capped(name, *default):
            value = get(name, *default)
            return min(int(value), PAGE) if PAGE and name == "MaxResults" else value

        self._get_param = capped
        return describe_instances(self)

    InstanceResponse.describe_instances = short


def refuse_malformed_ids(request):
    for instance in request._get_param("InstanceIds", []):
        if not INSTANCE_ID.match(instance):
            raise EC2ClientError("InvalidInstanceID.Malformed", f'Invalid id: "{instance}"')


def terminate_twice():
    """A second termination succeeds and changes nothing."""
    terminate = Instance.terminate
    terminate_instances = InstanceResponse.terminate_instances

    def once(self):
        if self._state.name == "terminated":
            return copy.copy(self._state)
        return terminate(self)

    def checked(self):
        refuse_malformed_ids(self)
        with one_at_a_time:
            return terminate_instances(self)

    Instance.terminate = once
    InstanceResponse.terminate_instances = checked


def give_no_address_again():
    """The address of a VM that ended, and so the name of its node, goes to no VM that comes a moment later."""

    def freed(self, ip):
        self._subnet_ips.pop(ip, None)

    Subnet.del_subnet_ip = freed


def spell_unknown_profiles_as_ec2_does():
    """Moto lets IAM's own error through."""
    find = responses.filter_iam_instance_profiles

    def found(account, partition, iam_instance_profile_arn, iam_instance_profile_name):
        try:
            return find(account, partition=partition, iam_instance_profile_arn=iam_instance_profile_arn, iam_instance_profile_name=iam_instance_profile_name)
        except Exception:
            field, value = ("name", iam_instance_profile_name) if iam_instance_profile_name else ("arn", iam_instance_profile_arn)
            raise EC2ClientError("InvalidParameterValue", f"Value ({value}) for parameter iamInstanceProfile.{field} is invalid. Invalid IAM Instance Profile {field}") from None

    responses.filter_iam_instance_profiles = found


if __name__ == "__main__":
    keep_clouds_statuses()
    remember_client_tokens()
    give_short_pages()
    boot_slowly()
    terminate_twice()
    give_no_address_again()
    spell_unknown_profiles_as_ec2_does()
    from moto.server import main

    main(["--host", "127.0.0.1", "--port", sys.argv[1]])
