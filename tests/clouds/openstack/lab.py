"""The real Keystone, Placement, Glance, Neutron and Nova (with its fake hypervisor) on this machine: SQLite instead of a database server,
messages inside of Nova's process instead of a broker, no root. Everything is in the working folder.

    python lab.py prepare                       makes the databases and keys, once
    python lab.py serve SERVICE PORT KEYSTONE   is one of the services until it is ended; KEYSTONE is Keystone's URL
"""

import importlib
import os
import shutil
import sqlite3
import subprocess
import sys
import traceback
from pathlib import Path
from string import Template

HERE = Path(__file__).resolve().parent
FOLDER = Path.cwd()
PASSWORD = "millwright"
APPLICATIONS = {
    "keystone": "keystone.wsgi.api",
    "placement": "placement.wsgi.api",
    "glance": "glance.wsgi.api",
    "neutron": "neutron.wsgi.api",
    "nova": "nova.wsgi.osapi_compute",
}
CONF = {"glance": "glance-api.conf"}
ADMIN = """auth_url = {keystone}
auth_type = password
username = admin
password = {password}
project_name = admin
user_domain_name = Default
project_domain_name = Default
region_name = RegionOne"""


def configure(service, keystone):
    """Writes the service's configuration and returns its name."""
    name = CONF.get(service, f"{service}.conf")
    text = Template((HERE / "conf" / name).read_text()).substitute(
        folder=FOLDER,
        venv=sys.prefix,
        keystone=keystone,
        as_admin=ADMIN.format(keystone=keystone, password=PASSWORD),
    )
    (FOLDER / name).write_text(text)
    return name


def manage(service, *arguments):
    name = configure(service, "http://127.0.0.1:1/v3")
    command = [f"{sys.prefix}/bin/{service}-manage", "--config-file", str(FOLDER / name), *arguments]
    subprocess.run(command, check=True)


def prepare():
    for folder in ("fernet", "credentials", "images", "neutron", "nova"):
        (FOLDER / folder).mkdir(mode=0o700, exist_ok=True)
    url = "http://127.0.0.1:1/v3"
    manage("keystone", "db_sync")
    owner = ("--keystone-user", str(os.getuid()), "--keystone-group", str(os.getgid()))
    manage("keystone", "fernet_setup", *owner)
    manage("keystone", "credential_setup", *owner)
    manage(
        "keystone", "bootstrap", "--bootstrap-password", PASSWORD, "--bootstrap-region-id", "RegionOne",
        "--bootstrap-admin-url", url, "--bootstrap-public-url", url, "--bootstrap-internal-url", url,
    )
    manage("placement", "db", "sync")
    manage("glance", "db_sync")
    make_neutrons_tables()
    manage("nova", "api_db", "sync")
    # Without a path, so that the databases can be copied elsewhere.
    manage("nova", "cell_v2", "map_cell0", "--database_connection", "sqlite:///nova_cell0.db?timeout=60")
    manage("nova", "db", "sync")
    manage(
        "nova", "cell_v2", "create_cell", "--name", "cell1", "--transport-url", "fake:/",
        "--database_connection", "sqlite:///nova.db?timeout=60",
    )
    for database in FOLDER.glob("*.db"):
        # Stays so: who reads waits for nobody.
        sqlite3.connect(database).execute("PRAGMA journal_mode = wal")


def make_neutrons_tables():
    """Neutron's own migrations alter constraints, which SQLite can't."""
    import sqlalchemy
    from neutron.db.migration.models import head

    head.get_metadata().create_all(sqlalchemy.create_engine(f"sqlite:///{FOLDER}/neutron.db"))


def serve(service, port, keystone):
    name = configure(service, keystone)
    prefix = f"OS_{service.upper()}_CONFIG"
    os.environ[f"{prefix}_DIR"] = str(FOLDER)
    if service == "nova":
        # Nova knows the names of its files itself, and wants all of them in one folder.
        shutil.copy(f"{sys.prefix}/etc/nova/api-paste.ini", FOLDER)
    else:
        # Keystone looks for the path, the others for the name in the folder.
        os.environ[f"{prefix}_FILES"] = str(FOLDER / name) if service == "keystone" else name
    # The applications read the command line as their own.
    sys.argv = [f"{service}-api"]
    if service == "nova":
        from nova import monkey_patch

        monkey_patch.patch(backend="threading")
    let_writers_wait_before_they_read()
    application = importlib.import_module(APPLICATIONS[service]).application
    if service == "nova":
        try:
            run_the_rest_of_nova()
        except BaseException:
            # Threads of those parts that are up would keep the process.
            traceback.print_exc()
            os._exit(1)
    import waitress

    # These two write in most requests, and there is one writer at a time.
    threads = 1 if service in ("neutron", "nova") else 16
    waitress.serve(application, listen=f"127.0.0.1:{port}", threads=threads)


def let_writers_wait_before_they_read():
    """SQLite refuses at once, however long it may wait, when a transaction writes after it has read and somebody else has written
    meanwhile: a build of Nova's that this happens to is building for ever."""
    import sqlalchemy.event
    from oslo_db.sqlalchemy import enginefacade

    factory = enginefacade._TransactionFactory
    create = factory._create_session

    def create_session(self, mode, bind=None):
        session = create(self, mode, bind)
        if mode is enginefacade._WRITER and bind is None:
            sqlalchemy.event.listen(session, "after_begin", take_the_turn)
        return session

    def take_the_turn(_session, transaction, connection):
        if not transaction.nested:
            connection.exec_driver_sql("ROLLBACK")
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    factory._create_session = create_session


def run_the_rest_of_nova():
    """Conductor, scheduler and compute beside the API: messages in memory reach only who is in the same process."""
    import os_vif
    from nova import context, service
    from nova.compute import rpcapi as compute
    from nova.conductor import rpcapi as conductor
    from nova.objects import host_mapping
    from nova.scheduler import rpcapi as scheduler

    os_vif.initialize()
    parts = (
        ("nova-conductor", conductor.RPC_TOPIC, {}),
        ("nova-scheduler", scheduler.RPC_TOPIC, {}),
        ("nova-compute", compute.RPC_TOPIC, {"topic_alt": compute.RPC_TOPIC_ALT}),
    )
    for binary, topic, more in parts:
        service.Service.create(binary=binary, topic=topic, **more).start()
    # Else the scheduler does not know the hypervisor.
    host_mapping.discover_hosts(context.get_admin_context())


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    {"prepare": prepare, "serve": serve}[verb](*arguments)
