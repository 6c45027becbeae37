/// The CRC-32C of consecutive parts of the same size of a stream of bytes; the last part may be shorter.
struct ChunkChecksums {
    private let size: Int
    private var complete: [UInt32] = []
    private var current: UInt32 = 0
    private var length = 0

    init(size: Int) { self.size = size }

    /// Returns the checksums of all parts of a buffer.
    static func values(of bytes: UnsafeRawBufferPointer, size: Int) -> [UInt32] {
        var checksums = ChunkChecksums(size: size)
        checksums.add(bytes)
        return checksums.values
    }

    /// The checksums of the parts so far.
    var values: [UInt32] { length > 0 ? complete + [current] : complete }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(size - length)
            current = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: part), after: current)
            length += part.count
            rest = rest.dropFirst(part.count)
            if length == size {
                complete.append(current)
                (current, length) = (0, 0)
            }
        }
    }
}
