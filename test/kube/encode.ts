/** Kubernetes protobuf written by hand, independent of the decoders: field numbers as in generated.proto. */
import { PbfWriter } from 'pbf';

export interface FakeOwner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** `v1` unless told. */
  readonly apiVersion?: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface FakeObject {
  /** The plural of the one kind that it is of; it is of every kind where nothing is said. */
  readonly resource?: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly owners?: readonly FakeOwner[];
  /** Seconds since the epoch. */
  readonly creationTimestamp?: number;
  /** Seconds since the epoch. */
  readonly deletionTimestamp?: number;
}

type Write = (value: undefined, pbf: PbfWriter) => void;

function message(pbf: PbfWriter, field: number, write: (pbf: PbfWriter) => void): void {
  const adapter: Write = (_value, inner) => write(inner);
  pbf.writeMessage(field, adapter, undefined);
}

/** Go writes empty strings as well. */
function string(pbf: PbfWriter, field: number, value: string): void {
  pbf.writeTag(field, 2);
  pbf.writeString(value);
}

function map(pbf: PbfWriter, field: number, entries: Readonly<Record<string, string>> | undefined): void {
  for (const [key, value] of Object.entries(entries ?? {})) {
    message(pbf, field, entry => {
      string(entry, 1, key);
      string(entry, 2, value);
    });
  }
}

function writeMeta(pbf: PbfWriter, object: FakeObject): void {
  string(pbf, 1, object.name);
  string(pbf, 2, '');
  string(pbf, 3, object.namespace);
  string(pbf, 5, object.uid);
  string(pbf, 6, object.resourceVersion);
  for (const [field, seconds] of [
    [8, object.creationTimestamp],
    [9, object.deletionTimestamp],
  ] as const) {
    if (seconds === undefined) continue;
    message(pbf, field, time => {
      time.writeTag(1, 0);
      time.writeVarint(seconds);
    });
  }
  map(pbf, 11, object.labels);
  map(pbf, 12, object.annotations);
  for (const owner of object.owners ?? []) {
    message(pbf, 13, reference => {
      string(reference, 1, owner.kind);
      string(reference, 3, owner.name);
      string(reference, 4, owner.uid);
      string(reference, 5, owner.apiVersion ?? 'v1');
      if (owner.controller !== undefined) reference.writeBooleanField(6, owner.controller);
      if (owner.blockOwnerDeletion !== undefined) reference.writeBooleanField(7, owner.blockOwnerDeletion);
    });
  }
  for (const finalizer of object.finalizers ?? []) string(pbf, 14, finalizer);
  // managedFields, to be skipped.
  message(pbf, 17, entry => string(entry, 1, 'somebody'));
}

/** PartialObjectMetadata, and the head of every other object. */
export function encodeObject(object: FakeObject): Uint8Array {
  const pbf = new PbfWriter();
  message(pbf, 1, meta => writeMeta(meta, object));
  return pbf.finish();
}

export function envelope(kind: string, raw: Uint8Array, apiVersion = 'meta.k8s.io/v1'): Buffer {
  const pbf = new PbfWriter();
  message(pbf, 1, typeMeta => {
    string(typeMeta, 1, apiVersion);
    string(typeMeta, 2, kind);
  });
  pbf.writeTag(2, 2);
  pbf.writeBytes(raw);
  string(pbf, 3, '');
  string(pbf, 4, '');
  return Buffer.concat([Buffer.from('k8s\0'), pbf.finish()]);
}

export function encodeList(objects: readonly FakeObject[], resourceVersion: string, next = ''): Buffer {
  const pbf = new PbfWriter();
  message(pbf, 1, meta => {
    string(meta, 1, '');
    string(meta, 2, resourceVersion);
    string(meta, 3, next);
  });
  for (const object of objects) {
    pbf.writeTag(2, 2);
    pbf.writeBytes(encodeObject(object));
  }
  return envelope('PartialObjectMetadataList', pbf.finish());
}

export function encodeEvent(type: string, kind: string, raw: Uint8Array, apiVersion?: string): Buffer {
  const pbf = new PbfWriter();
  string(pbf, 1, type);
  const object = envelope(kind, raw, apiVersion);
  message(pbf, 2, extension => {
    extension.writeTag(1, 2);
    extension.writeBytes(object);
  });
  const event = pbf.finish();
  const frame = Buffer.alloc(4 + event.length);
  frame.writeUInt32BE(event.length);
  frame.set(event, 4);
  return frame;
}

export function encodeBookmark(resourceVersion: string, initial: boolean): Buffer {
  const bookmark: FakeObject = {
    namespace: '',
    name: '',
    uid: '',
    resourceVersion,
    annotations: initial ? { 'k8s.io/initial-events-end': 'true' } : {},
  };
  return encodeEvent('BOOKMARK', 'PartialObjectMetadata', encodeObject(bookmark));
}

/** `retryAfter` in seconds. */
export function encodeStatus(code: number, text: string, retryAfter = 0): Uint8Array {
  const pbf = new PbfWriter();
  string(pbf, 2, 'Failure');
  string(pbf, 3, text);
  string(pbf, 4, code === 410 ? 'Expired' : '');
  message(pbf, 5, details => {
    details.writeTag(5, 0);
    details.writeVarint(retryAfter);
  });
  pbf.writeTag(6, 0);
  pbf.writeVarint(code);
  return pbf.finish();
}
