"""A PostgreSQL of our own in a temporary directory, and one psql to talk to.

No TCP, no configuration outside the directory, nothing left behind. The
server refuses to run as root, so root runs it as user postgres.
"""
import glob
import os
import shutil
import subprocess
import tempfile

OLDEST = 15
SETTINGS = """
listen_addresses = ''
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
max_wal_size = 2GB
shared_buffers = 64MB
work_mem = 32MB
max_connections = 10
timezone = 'UTC'
datestyle = 'ISO, YMD'
bytea_output = 'hex'
extra_float_digits = 1
"""


class Unavailable(Exception):
    """There is no PostgreSQL that knows MERGE."""


def find_programs():
    """The folder with initdb and pg_ctl of the newest version installed."""
    found = []
    for path in glob.glob("/usr/lib/postgresql/*/bin/initdb"):
        version = path.split("/")[4]
        if version.isdigit() and int(version) >= OLDEST:
            found.append((int(version), os.path.dirname(path)))
    if found:
        return max(found)[1]
    path = shutil.which("initdb")
    if not path:
        raise Unavailable("no PostgreSQL %d or newer; tests/install-packages "
                          "test brings it" % OLDEST)
    return os.path.dirname(os.path.realpath(path))


class Server:
    """A running server; use as a context."""

    def __init__(self):
        self.programs = find_programs()
        self.directory = tempfile.mkdtemp(prefix="rowmerge-pg-")
        self.data = os.path.join(self.directory, "data")
        self.prefix = []
        self.running = False
        if os.geteuid() == 0:
            self.prefix = ["runuser", "-u", "postgres", "--"]
            shutil.chown(self.directory, "postgres")
        # whoever runs the test reaches the socket below
        os.chmod(self.directory, 0o755)

    def run(self, *args):
        done = subprocess.run(self.prefix + list(args), cwd="/",
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Unavailable("%s: %s" % (args[0], done.stdout))

    def __enter__(self):
        try:
            self.run(os.path.join(self.programs, "initdb"), "-D", self.data,
                     "-U", "postgres", "-A", "trust", "-E", "UTF8",
                     "--locale=C", "--no-sync", "--no-instructions")
            with open(os.path.join(self.data, "postgresql.auto.conf"), "a",
                      encoding="ascii") as conf:
                conf.write(SETTINGS)
                conf.write("unix_socket_directories = '%s'\n"
                           % self.directory)
            self.running = True
            self.run(os.path.join(self.programs, "pg_ctl"), "-D", self.data,
                     "-s", "-w", "-t", "120", "-l",
                     os.path.join(self.data, "log"), "start")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.running:
            subprocess.run(self.prefix +
                           [os.path.join(self.programs, "pg_ctl"), "-D",
                            self.data, "-s", "-m", "immediate", "stop"],
                           cwd="/", stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.directory, ignore_errors=True)


class Session:
    """One psql at the end of two pipes."""

    END = "@end of answer@"

    def __init__(self, server):
        self.errors = open(os.path.join(server.directory, "errors"), "wb")
        self.psql = subprocess.Popen(
            [os.path.join(server.programs, "psql"), "-X", "-q", "-A", "-t",
             "-h", server.directory, "-U", "postgres", "-d", "postgres"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.errors, cwd="/")
        self.error_path = self.errors.name
        self.ask("SET client_min_messages = error;")

    def ask(self, script):
        """Run a script; its standard output as bytes."""
        # a query's output is flushed, an \\echo's is not
        end = "SELECT '%s';\n" % self.END
        self.psql.stdin.write(script.encode() + b"\n" + end.encode())
        self.psql.stdin.flush()
        mark = self.END.encode() + b"\n"
        lines = []
        for line in self.psql.stdout:
            if line == mark:
                return b"".join(lines)
            lines.append(line)
        raise RuntimeError("psql ended: " + self.last_errors())

    def last_errors(self, count=2000):
        with open(self.error_path, "rb") as errors:
            errors.seek(max(0, os.path.getsize(self.error_path) - count))
            return errors.read().decode(errors="replace")

    def close(self):
        try:
            self.psql.stdin.close()
        except BrokenPipeError:
            pass
        self.psql.wait()
        self.psql.stdout.close()
        self.errors.close()
