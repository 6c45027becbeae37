import CZip
import Foundation

/// The parts of a ZIP archive in memory, with limits against archives that expand to very large parts.
///
/// Nothing is written to files. Archives within the archive are not opened.
final class ZipArchive {
    private let indexes: [String: UInt64]
    let names: [String]

    private let archive: OpaquePointer
    private let buffer: UnsafeMutableRawBufferPointer
    private let limits: DocumentLimits
    let isCancelled: () -> Bool
    private var bytesRead = 0

    init(_ data: Data, limits: DocumentLimits, isCancelled: @escaping () -> Bool) throws {
        self.limits = limits
        self.isCancelled = isCancelled
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(data.count, 1), alignment: 1)
        data.withUnsafeBytes { buffer.copyMemory(from: $0) }
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard
            let source = zip_source_buffer_create(buffer.baseAddress, UInt64(data.count), 0, &error),
            let archive = Self.open(source, &error)
        else {
            buffer.deallocate()
            let message = zip_error_strerror(&error).map { String(cString: $0) } ?? "unknown error"
            throw DocumentError.damaged(
                "its ZIP archive cannot be opened, perhaps because the file is incomplete: \(message)")
        }
        self.archive = archive
        self.buffer = buffer
        let count = zip_get_num_entries(archive, 0)
        guard count <= Int64(limits.maximumParts) else {
            zip_discard(archive)
            buffer.deallocate()
            throw DocumentError.limitExceeded(
                "it has \(count) parts; the maximum is \(limits.maximumParts)")
        }
        var (indexes, names): ([String: UInt64], [String]) = ([:], [])
        for index in 0..<UInt64(max(count, 0)) {
            guard let pointer = zip_get_name(archive, index, 0) else { continue }
            let name = String(cString: pointer)
            let components = name.split(separator: "/", omittingEmptySubsequences: false)
            // If several parts have the same name, the last one is used, as in other programs.
            guard !components.contains(".."), !name.hasPrefix("/"), !name.hasSuffix("/") else { continue }
            if indexes.updateValue(index, forKey: name) == nil { names.append(name) }
        }
        self.indexes = indexes
        self.names = names
    }

    deinit {
        zip_discard(archive)
        buffer.deallocate()
    }

    private static func open(_ source: OpaquePointer, _ error: inout zip_error_t) -> OpaquePointer? {
        if let archive = zip_open_from_source(source, ZIP_RDONLY, &error) { return archive }
        zip_source_free(source)
        return nil
    }

    /// The number of bytes that all parts state to have after decompression.
    var size: Int {
        indexes.values.reduce(0) { sum, index in
            var information = zip_stat_t()
            guard zip_stat_index(archive, index, 0, &information) == 0 else { return sum }
            return sum + Int(min(information.size, UInt64(limits.maximumArchiveBytes)))
        }
    }

    func contains(_ name: String) -> Bool { indexes[name] != nil }

    /// Returns the bytes of a part; `nil` if the archive has no such part.
    func part(_ name: String) throws -> Data? {
        guard let index = indexes[name] else { return nil }
        var information = zip_stat_t()
        guard zip_stat_index(archive, index, 0, &information) == 0 else {
            throw DocumentError.damaged("its part \(name) is damaged")
        }
        guard information.encryption_method == UInt16(ZIP_EM_NONE) else { throw DocumentError.encrypted }
        let maximum = min(limits.maximumTextBytes, limits.maximumArchiveBytes - bytesRead)
        guard information.size <= UInt64(max(maximum, 0)) else { throw tooLarge(name, maximum) }
        guard let file = zip_fopen_index(archive, index, 0) else {
            throw DocumentError.damaged("its part \(name) cannot be read")
        }
        defer { zip_fclose(file) }
        return try read(file, name, maximum: maximum)
    }

    private func read(_ file: OpaquePointer, _ name: String, maximum: Int) throws -> Data {
        var data = Data()
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { block.deallocate() }
        while true {
            if isCancelled() { throw CancellationError() }
            let count = zip_fread(file, block.baseAddress, UInt64(block.count))
            guard count >= 0 else {
                throw DocumentError.damaged("its part \(name) is damaged (decompression failed)")
            }
            if count == 0 { break }
            // The declared size can be wrong.
            guard data.count + Int(count) <= maximum else { throw tooLarge(name, maximum) }
            data.append(contentsOf: UnsafeRawBufferPointer(rebasing: block[..<Int(count)]))
        }
        bytesRead += data.count
        return data
    }

    private func tooLarge(_ name: String, _ maximum: Int) -> DocumentError {
        .limitExceeded("its part \(name) exceeds \(max(maximum, 0)) bytes after decompression")
    }

    func xml(_ name: String) throws -> XMLPull? {
        guard let data = try part(name) else { return nil }
        return try XMLPull(xml: data, isCancelled: isCancelled)
    }
}
