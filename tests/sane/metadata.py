"""Versions of a table directory and what is said in vN.metadata.json."""
import json
import os
import re

VERSION = re.compile(r"v([0-9]+)\.metadata\.json$")
TOTALS = ("total-data-files", "total-delete-files", "total-records",
          "total-files-size", "total-position-deletes",
          "total-equality-deletes")
REQUIRED = {"table-uuid": str, "location": str, "last-sequence-number": int,
            "last-updated-ms": int, "last-column-id": int, "schemas": list,
            "current-schema-id": int, "partition-specs": list,
            "default-spec-id": int, "last-partition-id": int,
            "sort-orders": list, "default-sort-order-id": int}
SKEW_MS = 60000


class Table:
    """An opened directory. say() notes what is wrong."""

    def __init__(self, directory):
        self.directory = os.path.realpath(directory)
        self.problems = []
        self.version = 0
        self.metadata = {}
        self.referenced = set()     # files that something names
        self.live_rows = 0

    def say(self, place, text, *args):
        self.problems.append("%s: %s" % (place, text % args if args
                                         else text))

    def path(self, uri):
        """Where a URI of the metadata lies here."""
        location = self.metadata.get("location", "")
        if location and uri.startswith(location + "/"):
            return os.path.join(self.directory, uri[len(location) + 1:])
        return re.sub(r"^file:(//)?", "", uri)

    def versions(self):
        names = os.listdir(os.path.join(self.directory, "metadata"))
        found = [VERSION.match(name) for name in names]
        return sorted(int(m.group(1)) for m in found if m)

    def load_version(self, version):
        path = "%s/metadata/v%d.metadata.json" % (self.directory, version)
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def load(self, may_lag):
        versions = self.versions()
        if not versions:
            self.say("metadata", "no vN.metadata.json")
            return False
        self.version = versions[-1]
        if versions != list(range(versions[0], self.version + 1)):
            self.say("metadata", "versions have a gap: %s", versions)
        self.check_hint(may_lag)
        try:
            self.metadata = self.load_version(self.version)
        except ValueError as bad:
            self.say("v%d.metadata.json" % self.version, str(bad))
            return False
        uuid = self.metadata.get("table-uuid")
        for version in versions:
            self.referenced.add("%s/metadata/v%d.metadata.json"
                                % (self.directory, version))
            try:
                other = self.load_version(version)
            except ValueError as bad:
                self.say("v%d.metadata.json" % version, str(bad))
                continue
            if other.get("table-uuid") != uuid:
                self.say("v%d.metadata.json" % version, "another table-uuid")
        return True

    def check_hint(self, may_lag):
        path = os.path.join(self.directory, "metadata", "version-hint.text")
        self.referenced.add(path)
        try:
            with open(path, "rb") as file:
                text = file.read()
        except FileNotFoundError:
            # a run may have been killed before it wrote the first one
            if self.version > 1 or not may_lag:
                self.say("version-hint.text", "missing")
            return
        if not re.fullmatch(rb"[0-9]+", text):
            self.say("version-hint.text", "says %r, not a bare number", text)
        elif int(text) not in (self.version, self.version - may_lag):
            self.say("version-hint.text", "says %s, the newest is %d",
                     text.decode(), self.version)

    # one metadata file

    def check_metadata(self):
        meta, name = self.metadata, "v%d.metadata.json" % self.version
        version = meta.get("format-version")
        if version not in (2, 3):
            self.say(name, "format-version %r", version)
            return False
        for key, kind in REQUIRED.items():
            if not isinstance(meta.get(key), kind):
                self.say(name, "%s is %r", key, meta.get(key))
                return False
        if version == 3 and not isinstance(meta.get("next-row-id"), int):
            self.say(name, "next-row-id is %r", meta.get("next-row-id"))
            return False
        if meta["location"].endswith("/"):
            self.say(name, "location ends in a slash")
        self.check_schemas(name)
        self.check_specs(name)
        self.check_logs(name)
        return True

    def check_schemas(self, name):
        meta = self.metadata
        ids = [s["schema-id"] for s in meta["schemas"]]
        if len(set(ids)) != len(ids) or meta["current-schema-id"] not in ids:
            self.say(name, "schema ids %s, current %s", ids,
                     meta["current-schema-id"])
        for schema in meta["schemas"]:
            fields = {f["id"]: f for f in schema["fields"]}
            names = {f["name"].lower() for f in schema["fields"]}
            if len(fields) != len(schema["fields"]) or \
                    len(names) != len(fields):
                self.say(name, "schema %d repeats an id or name",
                         schema["schema-id"])
            if fields and max(fields) > meta["last-column-id"]:
                self.say(name, "last-column-id %d, but a field has %d",
                         meta["last-column-id"], max(fields))
            for key in schema.get("identifier-field-ids", []):
                if not fields.get(key, {}).get("required"):
                    self.say(name, "identifier field %d is not a required "
                             "field", key)

    def check_specs(self, name):
        meta = self.metadata
        specs = {s["spec-id"]: s for s in meta["partition-specs"]}
        if meta["default-spec-id"] not in specs:
            self.say(name, "no default partition spec")
        used = [f["field-id"] for s in specs.values() for f in s["fields"]]
        if max(used, default=999) > meta["last-partition-id"]:
            self.say(name, "last-partition-id %d is too low",
                     meta["last-partition-id"])
        orders = {o["order-id"] for o in meta["sort-orders"]}
        if meta["default-sort-order-id"] not in orders:
            self.say(name, "no default sort order")
        for value in meta.get("properties", {}).values():
            if not isinstance(value, str):
                self.say(name, "property value %r is no text", value)

    def check_logs(self, name):
        meta = self.metadata
        last = 0
        for entry in meta.get("metadata-log", []):
            path = self.path(entry["metadata-file"])
            if not os.path.exists(path):
                self.say(name, "metadata-log names %s, which is missing",
                         entry["metadata-file"])
            if entry["timestamp-ms"] < last - SKEW_MS:
                self.say(name, "metadata-log runs backwards")
            last = max(last, entry["timestamp-ms"])
        log = meta.get("metadata-log", [])
        if self.version > 1 and (not log or not log[-1]["metadata-file"]
                                 .endswith("/v%d.metadata.json" %
                                           (self.version - 1))):
            self.say(name, "metadata-log does not end at the version before")
        known = {s["snapshot-id"] for s in meta.get("snapshots", [])}
        for entry in meta.get("snapshot-log", []):
            if entry["snapshot-id"] not in known:
                self.say(name, "snapshot-log names snapshot %d, which is "
                         "unknown", entry["snapshot-id"])
            last = max(last, entry["timestamp-ms"])
        if last > meta["last-updated-ms"] + SKEW_MS:
            self.say(name, "last-updated-ms lies before its logs")

    # snapshots

    def check_snapshots(self):
        """Snapshots in order of their sequence numbers."""
        meta, name = self.metadata, "v%d.metadata.json" % self.version
        snapshots = meta.get("snapshots") or []
        by_id = {s["snapshot-id"]: s for s in snapshots}
        current = meta.get("current-snapshot-id")
        if current in (None, -1):
            current = None
        main = meta.get("refs", {}).get("main", {}).get("snapshot-id")
        if current != main:
            self.say(name, "current snapshot %r, main is %r", current, main)
        if current is not None and current not in by_id:
            self.say(name, "current snapshot %d is unknown", current)
            return []
        if len(by_id) != len(snapshots):
            self.say(name, "two snapshots have one id")
        log = meta.get("snapshot-log", [])
        if current is not None and (not log or
                                    log[-1]["snapshot-id"] != current):
            self.say(name, "snapshot-log does not end at the current one")
        for ref, entry in meta.get("refs", {}).items():
            if entry["snapshot-id"] not in by_id:
                self.say(name, "ref %s points nowhere", ref)
        ordered = sorted(snapshots, key=lambda s: s["sequence-number"])
        for snapshot in ordered:
            self.check_snapshot(snapshot, by_id)
        numbers = [s["sequence-number"] for s in ordered]
        if len(set(numbers)) != len(numbers) or \
                (numbers and numbers[-1] > meta["last-sequence-number"]):
            self.say(name, "sequence numbers %s, last is %d", numbers,
                     meta["last-sequence-number"])
        return ordered

    def check_snapshot(self, snapshot, by_id):
        meta = self.metadata
        number = snapshot["snapshot-id"]
        place = "snapshot %d" % number
        if not 0 < number < 2**53:
            self.say(place, "id is out of range")
        if "parent-snapshot-id" in snapshot:
            parent = by_id.get(snapshot["parent-snapshot-id"])
            if not isinstance(snapshot["parent-snapshot-id"], int) or \
                    snapshot["parent-snapshot-id"] < 0:
                self.say(place, "bad parent %r",
                         snapshot["parent-snapshot-id"])
        else:
            parent = None
        if parent and parent["sequence-number"] >= \
                snapshot["sequence-number"]:
            self.say(place, "sequence number is not above its parent's")
        if parent and parent["timestamp-ms"] > \
                snapshot["timestamp-ms"] + SKEW_MS:
            self.say(place, "is older than its parent")
        summary = snapshot.get("summary", {})
        if summary.get("operation") not in ("append", "replace", "overwrite",
                                            "delete"):
            self.say(place, "operation %r", summary.get("operation"))
        for key in TOTALS:
            if not re.fullmatch("[0-9]+", str(summary.get(key))):
                self.say(place, "%s is %r", key, summary.get(key))
        if snapshot.get("schema-id") not in [s["schema-id"]
                                             for s in meta["schemas"]]:
            self.say(place, "schema-id %r", snapshot.get("schema-id"))
        if meta["format-version"] == 3:
            self.check_lineage(snapshot, parent, place)

    @staticmethod
    def may_precede_v3(parent):
        return parent is None or parent.get("first-row-id") is None

    def check_lineage(self, snapshot, parent, place):
        first = snapshot.get("first-row-id")
        added = snapshot.get("added-rows")
        # of before the upgrade to v3: nothing is known, in its parent neither
        if first is None and added is None and self.may_precede_v3(parent):
            return
        if not isinstance(first, int) or not isinstance(added, int):
            self.say(place, "first-row-id %r, added-rows %r", first, added)
            return
        if first + added > self.metadata["next-row-id"]:
            self.say(place, "row ids to %d, next-row-id is %d",
                     first + added, self.metadata["next-row-id"])
        if parent and isinstance(parent.get("first-row-id"), int) and \
                parent["first-row-id"] + parent["added-rows"] > first:
            self.say(place, "row ids overlap with its parent's")
