import Foundation

/// Splits bytes, which are read in pieces, into lines. At most one piece and one line are in memory.
struct ByteLines {
    /// Returns the bytes at an offset, or fewer than requested if they end before.
    typealias Read = @Sendable (_ offset: Int, _ count: Int) throws -> Data

    private let read: Read
    private var buffer: [UInt8] = []
    /// The index in the buffer at which the next line begins, and the index from which its end is searched.
    private var (start, searched) = (0, 0)
    private var offset = 0
    private var isAtEnd = false
    /// The number of lines that were returned.
    private(set) var number = 0

    /// The number of bytes that are read at once.
    private static let pieceSize = 1 << 20

    /// Creates a reader of lines.
    init(_ read: @escaping Read) { self.read = read }

    /// Returns the next line without its line feed; `nil` after the last one.
    ///
    /// - Throws: The errors of reading.
    mutating func next() throws -> Data? {
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                return line(to: end)
            }
            if isAtEnd { return start < buffer.count ? line(to: buffer.count) : nil }
            buffer.removeSubrange(..<start)
            (start, searched) = (0, buffer.count)
            let piece = try read(offset, Self.pieceSize)
            offset += piece.count
            isAtEnd = piece.isEmpty
            buffer += piece
        }
    }

    private mutating func line(to end: Int) -> Data {
        let line = Data(buffer[start..<end])
        start = min(end + 1, buffer.count)
        searched = start
        number += 1
        return line
    }
}
