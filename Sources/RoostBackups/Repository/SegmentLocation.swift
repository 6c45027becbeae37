/// The location and the stored form of a segment within a pack.
struct SegmentLocation: Sendable, Hashable {
    /// The encoding of the stored bytes. The raw values are part of the on-disk format.
    enum Form: UInt8, Sendable {
        /// The bytes of the segment.
        case plain = 0
        /// A Zstandard frame (RFC 8878).
        case compressed = 1
        /// A Zstandard frame whose prefix is the segment ``base``.
        case relative = 2
    }

    /// The maximum size of a segment in bytes. An index with a larger value is corrupt.
    static let maximumSize = 1 << 30

    var kind: SegmentKind
    var form: Form
    /// The offset in the pack, in bytes.
    var offset: Int
    /// The size of the stored form in bytes.
    var storedSize: Int
    /// The size of the segment itself in bytes.
    var size: Int
    /// The segment that is needed to decode the relative form; `nil` for the other forms.
    var base: SegmentID?
}
