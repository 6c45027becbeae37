import ArgumentParser
import Foundation
import Roost
import RoostFiles
import RoostModel

/// The target of an export: standard output, a file that is replaced when the export is complete, or a device
/// or a pipe, which cannot be replaced.
///
/// A replaced file keeps its permissions, and symbolic links are followed.
final class OutputFile {
    private enum Target {
        case standardOutput
        case device(FileDescriptor)
        case file(ReplacementFile)
    }

    private let target: Target
    private var buffer = Data()
    /// The number of bytes that are collected before they are written. The first ones are written soon, for a pipe.
    private var pieceSize = 16 << 10

    /// Opens the target.
    init(_ path: String?) throws {
        guard let path, path != "-" else {
            target = .standardOutput
            return
        }
        let status = FileStatus(path)
        // The slash would be ignored, and the folder would become a file.
        guard status != nil || !path.hasSuffix("/") else {
            throw CommandError(
                .cannotCreate,
                "cannot write \(Terminal.line(path, limit: 200)): it is the name of a folder; name a file")
        }
        target = try Self.reportingFailure {
            if let status, !status.isRegular { return .device(try FileDescriptor(path, O_WRONLY)) }
            let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
            try Self.requireNoFileOfStore(url)
            let file = try ReplacementFile(of: url)
            if let status { try file.withFile { _ = fchmod($0.raw, status.permissions) } }
            return .file(file)
        }
    }

    static func requireNoFileOfStore(_ url: URL) throws {
        guard let outer = StoreManifest.store(around: url), StoreManifest.isOwnFile(outer.path) else {
            return
        }
        throw CommandError(
            .cannotCreate,
            "cannot write \(url.path): it belongs to the store in \(outer.folder.path); name another "
                + "location")
    }

    func write(_ data: Data) throws {
        buffer += data
        guard buffer.count >= pieceSize else { return }
        try flush()
        pieceSize = 1 << 20
    }

    /// Writes the last bytes, so that ``finish()`` only replaces the file. Of two files that belong together,
    /// both are completed before the first is replaced.
    func complete() throws {
        try flush()
        if case .file(let file) = target { try Self.reportingFailure { try file.synchronize() } }
    }

    /// Writes the last bytes, and replaces the file. Without this call, an existing file is unchanged.
    func finish() throws {
        try flush()
        if case .file(let file) = target { try Self.reportingFailure { try file.publish() } }
    }

    private func flush() throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        try Self.reportingFailure {
            switch target {
            case .standardOutput: Terminal.write(buffer)
            case .device(let file): try buffer.withUnsafeBytes { try file.write($0) }
            case .file(let file): try file.write(buffer)
            }
        }
    }

    private static func reportingFailure<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as FileError {
            throw CommandError(.cannotCreate, error.description)
        }
    }

    static func write(_ document: Data, to path: String?) throws {
        let file = try OutputFile(path)
        try file.write(document)
        try file.finish()
    }
}

/// The formats that a command exports. The first one is the default.
protocol ExportFormat: ExpressibleByArgument, RawRepresentable<String>, CaseIterable {}

struct ExportTarget<Format: ExportFormat>: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The format: " + Format.allCases.map(\.rawValue).joined(separator: ", ")
                + ". Default: by the extension of the file, else the first one.", valueName: "FORMAT"))
    var format: Format?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write to this file, atomically. Default: standard output.", valueName: "FILE"))
    var output: String?

    @Flag(name: .long, help: "Include the vectors.")
    var withEmbeddings = false

    /// Returns the format that the option or the extension of the file names; the first
    /// one without both.
    func chosen() throws -> Format {
        if let format { return format }
        let suffix = output.map { URL(fileURLWithPath: $0).pathExtension.lowercased() } ?? ""
        guard !suffix.isEmpty, output != "-" else { return Format.allCases.first! }
        guard let found = Format(rawValue: suffix) else {
            throw ValidationError("the extension .\(suffix) names no format; choose one with --format")
        }
        return found
    }

    func validate() throws { _ = try chosen() }
}

/// Entries as CSV (RFC 4180), with a header. `roost import` reads it (``ExportedTable``).
struct EntryTable {
    private let withEmbeddings: Bool
    private let write: (Data) throws -> Void
    private(set) var count = 0
    /// The number of cells that begin with an additional apostrophe.
    private(set) var changedCellCount = 0

    init(withEmbeddings: Bool, write: @escaping (Data) throws -> Void) throws {
        self.withEmbeddings = withEmbeddings
        self.write = write
        try addLine(ExportedTable.columns + (withEmbeddings ? [ExportedTable.vectorColumn] : []))
    }

    private func addLine(_ cells: [String]) throws {
        try write(Data((DelimitedLine.csv(cells) + "\r\n").utf8))
    }

    mutating func add(_ entry: Entry) throws {
        let metadata = try Terminal.lineEncoder.encode(entry.metadata)
        let cells = [
            entry.id.text, entry.source ?? "", entry.key ?? "", entry.title ?? "",
            ExportedTable.cell(of: entry.tags), DateText.string(from: entry.createdAt),
            DateText.string(from: entry.updatedAt), String(decoding: metadata, as: UTF8.self), entry.content,
        ]
        var escaped = cells.map(DelimitedLine.escapingFormula)
        changedCellCount += zip(cells, escaped).count { $0 != $1 }
        if withEmbeddings {
            escaped.append(String(decoding: try Terminal.lineEncoder.encode(entry.embeddings), as: UTF8.self))
        }
        try addLine(escaped)
        count += 1
    }
}
