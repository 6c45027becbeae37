/// The record of an original file, with the ids of the segments that contain its parts.
struct OriginalRecord: Sendable, Hashable {
    /// The SHA-256 digest of the document.
    var digest: SegmentID
    /// The size of the document in bytes.
    var size: Int
    var parts: [SegmentID]

    /// The size, in bytes, of every part except the last. If text is appended to a document, its unchanged
    /// parts are shared with earlier versions.
    static let maximumPartSize = 4 << 20
}
