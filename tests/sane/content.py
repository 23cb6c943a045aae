"""Manifest lists, manifests, data and delete files of the snapshots."""
import os

import avro
import bounds
import parquet
import puffin
from avro import Bad

EXISTING, ADDED, DELETED = 0, 1, 2
DATA, POSITIONS, EQUALITY = 0, 1, 2
PATH_ID, POS_ID = 2147483546, 2147483545
STATUS_IDS = {ADDED: (504, 512), EXISTING: (505, 513), DELETED: (506, 514)}


class Entry:
    """One live or deleted file of a manifest."""

    def __init__(self, record, manifest):
        file = record[2]
        self.status = record[0]
        self.snapshot = record[1] if record[1] is not None else manifest[503]
        self.sequence = record.get(3)
        self.file_sequence = record.get(4)
        self.inherits = self.sequence is None
        if self.inherits:
            self.sequence = manifest[515]
        self.content = file[134]
        self.uri = file[100]
        self.format = file[101]
        self.partition = file[102]
        self.rows = file[103]
        self.size = file[104]
        self.first_row_id = file.get(142)
        self.target = file.get(143)
        self.offset = file.get(144)
        self.length = file.get(145)
        self.spec = manifest[502]
        self.file = file

    @property
    def key(self):
        return (self.uri, self.offset)

    @property
    def is_vector(self):
        return self.content == POSITIONS and self.format.upper() == "PUFFIN"


class Checker:
    """Walks the snapshots of a Table (metadata.py)."""

    def __init__(self, table):
        self.table = table
        self.say = table.say
        self.manifests = {}     # uri: entries
        self.checked = {}       # path: footer
        self.types = {}         # field id: type, over all schemas
        self.repeated = set()   # ids inside of lists and maps
        for schema in table.metadata["schemas"]:
            for field in schema["fields"]:
                self.add_type(field["id"], field["type"], False)

    def partition_of(self, entry):
        """The values; a decimal's bytes depend on the precision it had, and
        NaN is not equal to itself."""
        specs = {s["spec-id"]: s for s in
                 self.table.metadata["partition-specs"]}
        values = dict(entry.partition)
        for field in specs[entry.spec]["fields"]:
            kind = self.types.get(field["source-id"])
            value = values.get(field["field-id"])
            if isinstance(kind, str) and kind.startswith("decimal") and \
                    isinstance(value, bytes):
                values[field["field-id"]] = int.from_bytes(value, "big",
                                                           signed=True)
            elif isinstance(value, float):
                values[field["field-id"]] = repr(value)
        return values

    def relative(self, path):
        return os.path.relpath(path, self.table.directory)

    def check_size(self, uri, size, who):
        path = self.table.path(uri)
        self.table.referenced.add(path)
        try:
            found = os.path.getsize(path)
        except OSError:
            self.say(self.relative(path), "missing, %s names it", who)
            return None
        if found != size:
            self.say(self.relative(path), "%d bytes, %s says %d", found, who,
                     size)
            return None
        return path

    # snapshots

    def check_snapshot(self, snapshot):
        """The live entries of a snapshot."""
        place = "snapshot %d" % snapshot["snapshot-id"]
        path = self.table.path(snapshot["manifest-list"])
        self.table.referenced.add(path)
        try:
            meta, _, records = avro.read(path)
        except (OSError, Bad, ValueError, KeyError) as bad:
            self.say(self.relative(path), "manifest list: %s", bad)
            return []
        wanted = {"snapshot-id": str(snapshot["snapshot-id"]),
                  "sequence-number": str(snapshot["sequence-number"]),
                  "parent-snapshot-id":
                  str(snapshot.get("parent-snapshot-id", "null"))}
        for key, value in wanted.items():
            if meta.get(key) != value:
                self.say(self.relative(path), "%s is %r, wanted %s", key,
                         meta.get(key), value)
        live, gone = [], []
        for manifest in records:
            if manifest[515] > snapshot["sequence-number"]:
                self.say(place, "a manifest of a later commit")
            for entry in self.read_manifest(manifest):
                (gone if entry.status == DELETED else live).append(entry)
        self.check_row_ids(snapshot, records, place)
        self.check_live(live, snapshot, place)
        self.check_summary(snapshot, live, gone, place)
        return live

    def check_row_ids(self, snapshot, records, place):
        """v3: ranges of row ids of live data files never overlap."""
        if self.table.metadata["format-version"] != 3:
            return
        ranges = []
        for manifest in records:
            if manifest[517] != DATA:
                continue
            if manifest.get(520) is None:
                if snapshot.get("first-row-id") is not None:
                    self.say(place, "a data manifest has no first_row_id")
                continue
            start = manifest[520]
            for entry in self.read_manifest(manifest):
                if entry.status == DELETED:
                    continue
                if entry.status == ADDED and entry.first_row_id is not None:
                    self.say(place, "an added entry assigns row ids itself")
                first = entry.first_row_id
                if first is None:
                    first, start = start, start + entry.rows
                ranges.append((first, first + entry.rows, entry.uri))
        ranges.sort()
        for one, two in zip(ranges, ranges[1:]):
            if one[1] > two[0]:
                self.say(place, "row ids of %s and %s overlap", one[2],
                         two[2])
        if ranges and ranges[-1][1] > self.table.metadata["next-row-id"]:
            self.say(place, "row ids beyond next-row-id")

    def check_live(self, live, snapshot, place):
        data = {}
        seen = set()
        for entry in live:
            if entry.key in seen:
                self.say(place, "%s is live twice", entry.uri)
            seen.add(entry.key)
            if entry.content == DATA:
                data[entry.uri] = entry
            if entry.sequence > snapshot["sequence-number"]:
                self.say(place, "%s has a later sequence number", entry.uri)
        deleted = {}
        vectors = set()
        for entry in live:
            if entry.content != POSITIONS:
                continue
            target = data.get(self.target_of(entry))
            if target is None:
                self.say(place, "%s deletes rows of %s, which is not live",
                         entry.uri, self.target_of(entry))
                continue
            if target.sequence > entry.sequence or \
                    target.spec != entry.spec or \
                    self.partition_of(target) != self.partition_of(entry):
                self.say(place, "%s is out of the scope of %s", target.uri,
                         entry.uri)
            if entry.is_vector:
                if target.uri in vectors:
                    self.say(place, "two vectors for %s", target.uri)
                vectors.add(target.uri)
            deleted[target.uri] = deleted.get(target.uri, 0) + entry.rows
            self.check_positions(entry, target, place)
        for uri, count in deleted.items():
            if count >= data[uri].rows:
                self.say(place, "%d of %d rows of %s are deleted", count,
                         data[uri].rows, uri)
        if snapshot["snapshot-id"] == \
                self.table.metadata.get("current-snapshot-id"):
            self.table.live_rows = sum(e.rows for e in data.values()) - \
                sum(deleted.values())

    @staticmethod
    def target_of(entry):
        """The one data file that a position delete file is for."""
        if entry.target is not None:
            return entry.target
        lower = (entry.file.get(125) or {}).get(PATH_ID)
        upper = (entry.file.get(128) or {}).get(PATH_ID)
        return lower.decode() if lower is not None and lower == upper \
            else None

    def check_positions(self, entry, target, place):
        """Positions lie within the data file."""
        if entry.is_vector:
            positions = self.checked.get((entry.uri, entry.offset))
            if positions and positions[-1] >= target.rows:
                self.say(place, "a vector deletes row %d of %d of %s",
                         positions[-1], target.rows, target.uri)
            return
        upper = (entry.file.get(128) or {}).get(POS_ID)
        if upper is not None and bounds.decode("long", upper) >= target.rows:
            self.say(place, "%s deletes rows beyond the end of %s", entry.uri,
                     target.uri)

    def check_summary(self, snapshot, live, gone, place):
        summary = snapshot.get("summary", {})
        mine = [e for e in live if e.status == ADDED and
                e.snapshot == snapshot["snapshot-id"]]
        gone = [e for e in gone if e.snapshot == snapshot["snapshot-id"]]

        def of(entries, data):
            return [e for e in entries if (e.content == DATA) == data]

        wanted = {
            "total-data-files": len(of(live, True)),
            "total-delete-files": len(of(live, False)),
            "total-records": sum(e.rows for e in of(live, True)),
            "total-position-deletes": sum(e.rows for e in live
                                          if e.content == POSITIONS),
            "total-equality-deletes": sum(e.rows for e in live
                                          if e.content == EQUALITY),
            "added-data-files": len(of(mine, True)),
            "deleted-data-files": len(of(gone, True)),
            "added-records": sum(e.rows for e in of(mine, True)),
            "deleted-records": sum(e.rows for e in of(gone, True)),
            "added-delete-files": len(of(mine, False)),
            "removed-delete-files": len(of(gone, False)),
            "added-dvs": len([e for e in mine if e.is_vector]),
            "removed-dvs": len([e for e in gone if e.is_vector]),
        }
        for key, count in wanted.items():
            if int(summary.get(key, 0)) != count:
                self.say(place, "%s is %s, the files say %d", key,
                         summary.get(key), count)
        # a vector counts with its own bytes, or with its whole file
        sizes = [sum(e.length if e.is_vector else e.size for e in live),
                 sum(e.size for e in live)]
        if int(summary.get("total-files-size", 0)) not in sizes:
            self.say(place, "total-files-size is %s, the files say %s",
                     summary.get("total-files-size"), sizes)
        operation = summary.get("operation")
        if operation == "append" and (gone or of(mine, False)):
            self.say(place, "append removes rows or files")
        if operation == "delete" and of(mine, True):
            self.say(place, "delete adds data files")

    # manifests

    def read_manifest(self, record):
        uri = record[500]
        if uri in self.manifests:
            return self.manifests[uri]
        entries = self.manifests[uri] = []
        path = self.check_size(uri, record[501], "a manifest list")
        if not path:
            return entries
        place = self.relative(path)
        try:
            meta, schema, records = avro.read(path)
        except (Bad, ValueError, KeyError) as bad:
            self.say(place, "manifest: %s", bad)
            return entries
        if schema.get("name") != "manifest_entry":
            self.say(place, "record is called %r", schema.get("name"))
        for key in ("schema", "partition-spec", "partition-spec-id",
                    "format-version", "content"):
            if key not in meta:
                self.say(place, "no %s in its header", key)
        content = {"data": 0, "deletes": 1}.get(meta.get("content"))
        if content != record[517]:
            self.say(place, "content %r, the list says %d",
                     meta.get("content"), record[517])
        try:
            entries += [Entry(r, record) for r in records]
        except KeyError as bad:
            self.say(place, "an entry lacks field %s", bad)
            return entries
        self.check_counts(record, entries, place)
        for entry in entries:
            self.check_entry(entry, record, place)
        return entries

    def check_counts(self, record, entries, place):
        for status, (files_id, rows_id) in STATUS_IDS.items():
            own = [e for e in entries if e.status == status]
            counts = (len(own), sum(e.rows for e in own))
            if counts != (record[files_id], record[rows_id]):
                self.say(place, "%d files and %d rows of status %d, the list "
                         "says %d and %d", *counts, status, record[files_id],
                         record[rows_id])
        live = [e.sequence for e in entries if e.status != DELETED]
        least = min(live, default=record[515])
        if record[516] != least:
            self.say(place, "min_sequence_number %d, the entries say %d",
                     record[516], least)

    def check_entry(self, entry, record, place):
        if entry.status not in STATUS_IDS:
            self.say(place, "status %r", entry.status)
        if entry.status != ADDED and (entry.inherits or
                                      entry.file_sequence is None):
            self.say(place, "%s inherits a sequence number, status %d",
                     entry.uri, entry.status)
        if (entry.content == DATA) != (record[517] == DATA):
            self.say(place, "%s has content %d", entry.uri, entry.content)
        if entry.status == DELETED:
            return
        path = self.check_size(entry.uri, entry.size, place)
        if not path:
            return
        try:
            if entry.is_vector:
                self.check_vector(entry, path)
            else:
                self.check_parquet(entry, path)
        except (Bad, ValueError, KeyError, IndexError) as bad:
            self.say(self.relative(path), str(bad) or repr(bad))

    # files

    def check_vector(self, entry, path):
        with open(path, "rb") as file:
            data = file.read()
        own = [b for b in puffin.read_footer(data)
               if b["offset"] == entry.offset]
        if len(own) != 1 or own[0]["length"] != entry.length or \
                own[0]["type"] != "deletion-vector-v1":
            raise Bad("no vector of %r bytes at %r" %
                      (entry.length, entry.offset))
        properties = own[0]["properties"]
        positions = puffin.read_vector(
            data[entry.offset:entry.offset + entry.length])
        if len(positions) != entry.rows or \
                properties["cardinality"] != str(entry.rows):
            raise Bad("%d positions, the manifest says %d" %
                      (len(positions), entry.rows))
        if properties["referenced-data-file"] != entry.target:
            raise Bad("is for another data file than its manifest says")
        if self.table.metadata["format-version"] < 3:
            raise Bad("a deletion vector in format version 2")
        self.checked[entry.key] = positions

    def check_parquet(self, entry, path):
        footer = self.checked.get(path)
        if not footer:
            footer = self.checked[path] = parquet.Footer(path)
        if footer.rows != entry.rows:
            raise Bad("%d rows, the manifest says %d" %
                      (footer.rows, entry.rows))
        if footer.rows == 0:
            raise Bad("no rows")
        if entry.content == POSITIONS:
            if footer.columns != {PATH_ID: ("file_path", False),
                                  POS_ID: ("pos", False)}:
                raise Bad("columns of a position delete file: %r" %
                          footer.columns)
            return
        starts = entry.file.get(132)
        if starts is not None and starts != [at for _, at in footer.groups]:
            raise Bad("row groups start at %s, split offsets are %s" %
                      ([at for _, at in footer.groups], starts))
        for key in footer.columns:
            if key is None or (key not in self.types and
                               key < 2147483447):
                raise Bad("column with field id %r" % key)
        self.check_metrics(entry)

    def add_type(self, key, kind, repeated):
        self.types[key] = kind
        if repeated:
            self.repeated.add(key)
        if isinstance(kind, str):
            return
        for field in kind.get("fields", []):
            self.add_type(field["id"], field["type"], repeated)
        for part in ("element", "key", "value"):
            if part in kind:
                self.add_type(kind[part + "-id"], kind[part], True)

    def check_metrics(self, entry):
        file = entry.file
        values, nulls = file.get(109) or {}, file.get(110) or {}
        for key, count in values.items():
            if (isinstance(self.types.get(key), str) and
                    key not in self.repeated and count != entry.rows):
                raise Bad("field %d has %d values in %d rows" %
                          (key, count, entry.rows))
            if nulls.get(key, 0) > count:
                raise Bad("field %d has more nulls than values" % key)
        lower, upper = file.get(125) or {}, file.get(128) or {}
        for key in set(lower) | set(upper):
            if not isinstance(self.types.get(key), str):
                continue
            try:
                bounds.check(self.types[key], lower.get(key), upper.get(key))
            except Bad as bad:
                raise Bad("field %d: %s" % (key, bad)) from bad
            if values and nulls.get(key) == values.get(key):
                raise Bad("field %d is all null and has bounds" % key)
