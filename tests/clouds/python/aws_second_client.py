"""Amazon's own client drives Moto with our additions: one instance from birth to death, the same token twice, refusals.

usage: aws_second_client.py URL
"""

import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError


def refused(call, **arguments):
    """The code and the HTTP status of a refusal."""
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"], error.response["ResponseMetadata"]["HTTPStatusCode"]
    raise AssertionError(f"{call.__name__} was not refused")


def main(url):
    ec2 = boto3.client(
        "ec2",
        endpoint_url=url,
        region_name="eu-west-1",
        aws_access_key_id="AKIASECONDSECONDSECO",
        aws_secret_access_key="a-secret-of-nobody",
        config=Config(retries={"total_max_attempts": 1}),
    )
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    group = ec2.describe_security_groups()["SecurityGroups"][0]["GroupId"]
    interface = {"DeviceIndex": 0, "SubnetId": subnet, "Groups": [group], "DeleteOnTermination": True}
    wanted = {
        "ImageId": "ami-12c6146b",
        "InstanceType": "m5.large",
        "MinCount": 1,
        "MaxCount": 1,
        "ClientToken": "one",
        "NetworkInterfaces": [interface],
        "TagSpecifications": [{"ResourceType": "network-interface", "Tags": [{"Key": "of", "Value": "one"}]}],
    }
    run = ec2.run_instances
    instance = run(**wanted)["Instances"][0]["InstanceId"]
    assert run(**wanted)["Instances"][0]["InstanceId"] == instance
    assert refused(run, **wanted, UserData="other") == ("IdempotentParameterMismatch", 400)

    expected = {
        "x.insufficient": ("InsufficientInstanceCapacity", 500),
        "x.throttle": ("RequestLimitExceeded", 503),
        "x.vcpus": ("VcpuLimitExceeded", 400),
        "m5.nobody-knows": ("InvalidInstanceType.NotFound", 400),
    }
    for kind, refusal in expected.items():
        assert refused(run, **{**wanted, "InstanceType": kind, "ClientToken": kind}) == refusal, kind
    stranger = {**interface, "Groups": ["sg-12345678"]}
    assert refused(run, **{**wanted, "ClientToken": "sg", "NetworkInterfaces": [stranger]})[0] == "InvalidGroup.NotFound"
    profile = {**wanted, "ClientToken": "iam", "IamInstanceProfile": {"Name": "nobodys"}}
    assert refused(run, **profile) == ("InvalidParameterValue", 400)
    assert refused(ec2.describe_instances, InstanceIds=["foo"])[0] == "InvalidInstanceID.Malformed"

    interfaces = ec2.describe_network_interfaces(Filters=[{"Name": "tag:of", "Values": ["one"]}])["NetworkInterfaces"]
    assert len(interfaces) == 1, interfaces
    for _ in range(2):
        ec2.terminate_instances(InstanceIds=[instance])
    assert run(**wanted)["Instances"][0]["State"]["Name"] == "terminated"
    assert not ec2.describe_network_interfaces(Filters=[{"Name": "tag:of", "Values": ["one"]}])["NetworkInterfaces"]


if __name__ == "__main__":
    main(*sys.argv[1:])
