import Foundation
import RoostFiles
import RoostModel

/// Reads the entries of a generation individually from its `entries.json`.
///
/// The file is not mapped, because a read error, or another program that truncates the file, would then
/// terminate the process.
final class GenerationContents: EntryContents {
    private let file: FileDescriptor
    private let size: Int
    private let extents: [Sidecar.Extent]
    private let dimension: Int

    init(_ url: URL, size: Int, extents: [Sidecar.Extent], dimension: Int) throws {
        file = try FileDescriptor(url.path, O_RDONLY)
        self.size = size
        self.extents = extents
        self.dimension = dimension
        let ends = extents.allSatisfy {
            $0.offset <= UInt64(size) && UInt64($0.length) <= UInt64(size) - $0.offset
        }
        guard try file.size() == size, ends, try file.read(at: 0, count: 1).elementsEqual("[".utf8),
            try file.read(at: max(0, size - 2), count: 2).elementsEqual("]\n".utf8)
        else { throw Generation.damaged(url) }
    }

    var count: Int { extents.count }

    func withText<Value>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
        let extent = extents[index]
        let count = Int(extent.length)
        return try withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { buffer in
            let text = UnsafeRawBufferPointer(buffer)
            guard try file.read(at: Int(extent.offset), into: buffer) == count,
                CRC32C.checksum(text) == extent.checksum
            else { throw Generation.damaged(URL(fileURLWithPath: file.path)) }
            return try body(text)
        }
    }

    func entry(at index: Int, withVectors: Bool) throws -> Entry {
        do {
            return try withText(at: index) { text in
                var reader = JSONReader(text)
                return try EntryText.read(&reader, withVectors: withVectors, dimension: dimension)
            }
        } catch is JSONError {
            throw Generation.damaged(URL(fileURLWithPath: file.path))
        }
    }

    /// Checks every byte of the file: the checksum of each entry, and the separators between the entries.
    func verify(isCancelled: () -> Bool) throws -> (damaged: [Int], isFrameIntact: Bool) {
        var damaged: [Int] = []
        var isFrameIntact = true
        var end = 0
        func isFrame(_ range: Range<Int>, _ expected: String) throws -> Bool {
            guard range.count == expected.utf8.count else { return false }
            return try file.read(at: range.lowerBound, count: range.count).elementsEqual(expected.utf8)
        }
        for (index, extent) in extents.enumerated() {
            if isCancelled() { throw CancellationError() }
            let separator = index == 0 ? "[\n" : ",\n"
            let start = Int(extent.offset)
            if try start < end || !isFrame(end..<start, separator) { isFrameIntact = false }
            end = start + Int(extent.length)
            do {
                try withText(at: index) { _ in }
            } catch is StorageError {
                damaged.append(index)
            }
        }
        let tail = extents.isEmpty ? "[]\n" : "\n]\n"
        if try end > size || !isFrame(end..<size, tail) { isFrameIntact = false }
        return (damaged, isFrameIntact)
    }
}
